/** A log decoded from the types of its event. */

/** Integers are decimal strings, bytes 0x hex, addresses checksummed, arrays and tuples arrays. */
export type DecodedValue = string | boolean | readonly DecodedValue[]

/**
 * How to decode a log. Stored with the run, so that a run's input never changes.
 * - `exact`: `indexed` follows from marks, from the number of topics, or from the one layout of the table that fits.
 * - `inferred`: the log excludes every other choice.
 * - `ambiguous`: several choices fit. `readings` has them, the best guess first, which is `indexed` too; `omitted` counts
 *   those left out. Plans stored before this kind existed are `inferred` here.
 * - `raw`: no choice fits.
 */
export type DecodePlan =
  | { decode: 'exact' | 'inferred'; indexed: readonly number[] }
  | {
      decode: 'ambiguous'
      indexed: readonly number[]
      readings: readonly (readonly number[])[]
      omitted: number
    }
  | { decode: 'raw'; reason: string }

/** The values of a log for one choice of indexed arguments. */
export type DecodedReading = {
  /** `arg0`, `arg1`, ... */
  decoded: Record<string, DecodedValue>
  /** Positions of the arguments that are in the topics. */
  indexed: readonly number[]
  /** Indexed arguments of dynamic types: their value is the hash that the topic has. */
  indexed_hash: readonly string[]
}

export type DecodedLog = {
  decode: 'exact' | 'inferred' | 'ambiguous' | 'raw'
  /** As in a reading; the best guess if it is `ambiguous`, `null` if it is `raw`. */
  decoded: DecodedReading['decoded'] | null
  indexed: DecodedReading['indexed'] | null
  indexed_hash: DecodedReading['indexed_hash']
  /** Of an `ambiguous` log: every reading that fits, the best guess first. */
  readings?: readonly DecodedReading[]
  /** Readings left out because of their number or size; absent if none were. */
  readings_omitted?: number
  /** Why it is `raw`. */
  decode_error?: string
}
