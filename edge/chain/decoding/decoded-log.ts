/**
 * Decoded value of an argument. Integers are decimal strings, byte strings are 0x hex, addresses are checksummed, and
 * arrays and tuples are arrays.
 */
export type DecodedValue = string | boolean | readonly DecodedValue[]

/**
 * Plan for decoding a log. Stored with the run, so that the input of a run never changes.
 * - `exact`: the indexed arguments follow from the signature, from the number of topics, or from the only layout in the
 *   table of known events that fits.
 * - `inferred`: the values of the log exclude every other choice of indexed arguments.
 * - `ambiguous`: several choices fit. `readings` lists them, starting with the best guess, which is also in `indexed`.
 *   `omitted` is the number of choices that are not listed. Plans stored before this kind existed are `inferred`
 *   instead.
 * - `raw`: the log cannot be decoded, for the stated reason.
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

export type DecodedReading = {
  /** Decoded values, keyed by `arg0`, `arg1` and so on. */
  decoded: Record<string, DecodedValue>
  /** Positions of the indexed arguments in the event declaration. */
  indexed: readonly number[]
  /** Keys of the indexed arguments for which the topic contains a hash instead of the value. */
  indexed_hash: readonly string[]
}

export type DecodedLog = {
  decode: 'exact' | 'inferred' | 'ambiguous' | 'raw'
  /** Decoded values. The best guess if the log is `ambiguous`; null if it is `raw`. */
  decoded: DecodedReading['decoded'] | null
  indexed: DecodedReading['indexed'] | null
  indexed_hash: DecodedReading['indexed_hash']
  /** Interpretations of an `ambiguous` log, starting with the best guess. Absent for other logs. */
  readings?: readonly DecodedReading[]
  /** Absent if zero. */
  readings_omitted?: number
  /** Present only if `decode` is `raw`. */
  decode_error?: string
}
