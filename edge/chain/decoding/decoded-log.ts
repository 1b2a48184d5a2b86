/** A log decoded from the types of its event. */

/** Integers are decimal strings, bytes are 0x hex, addresses are checksummed, arrays and tuples are arrays. */
export type DecodedValue = string | boolean | readonly DecodedValue[]

/**
 * How to decode a log. Stored with the run, so that a run's input never changes.
 * - `exact`: `indexed` follows from marks, from the number of topics, or from the only layout in the table that fits.
 * - `inferred`: the log excludes every other choice.
 * - `ambiguous`: several choices fit. `readings` lists them, starting with the best guess, which is also in `indexed`.
 *   `omitted` counts those left out. Plans stored before this kind existed are `inferred` instead.
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
  /** Keys are `arg0`, `arg1`, ... */
  decoded: Record<string, DecodedValue>
  /** Positions of the arguments in the topics. */
  indexed: readonly number[]
  /** Indexed arguments for which the topic contains a hash instead of the value. */
  indexed_hash: readonly string[]
}

export type DecodedLog = {
  decode: 'exact' | 'inferred' | 'ambiguous' | 'raw'
  /** As in `DecodedReading`: the best guess if the log is `ambiguous`, null if it is `raw`. */
  decoded: DecodedReading['decoded'] | null
  indexed: DecodedReading['indexed'] | null
  indexed_hash: DecodedReading['indexed_hash']
  /** Readings that fit an `ambiguous` log, starting with the best guess. */
  readings?: readonly DecodedReading[]
  /** Number of readings left out because there were too many or they were too long. Absent if zero. */
  readings_omitted?: number
  /** Why the log is `raw`. */
  decode_error?: string
}
