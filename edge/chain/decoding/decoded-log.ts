/** Types for logs that are decoded with the signature of their event. */

/**
 * A decoded ABI value. Integers are decimal strings, byte strings are 0x hex, addresses are checksummed, and arrays and
 * tuples are arrays.
 */
export type DecodedValue = string | boolean | readonly DecodedValue[]

/**
 * Plan that states how to decode a log. It is stored with the run, so that the input of a run never changes.
 * - `exact`: the indexed arguments follow from the signature, from the number of topics, or from the only layout in the
 *   table of known events that fits.
 * - `inferred`: the values of the log exclude every other choice of indexed arguments.
 * - `ambiguous`: several choices of indexed arguments fit. `readings` lists them, starting with the best guess, which
 *   is also in `indexed`. `omitted` is the number of choices that are left out. Plans stored before this kind existed
 *   are `inferred` instead.
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

/** Values of a log, decoded with one choice of indexed arguments. */
export type DecodedReading = {
  /** Values of the arguments, keyed by `arg0`, `arg1` and so on. */
  decoded: Record<string, DecodedValue>
  /** Positions of the indexed arguments in the event declaration. */
  indexed: readonly number[]
  /** Keys of the indexed arguments for which the topic contains a hash instead of the value. */
  indexed_hash: readonly string[]
}

export type DecodedLog = {
  decode: 'exact' | 'inferred' | 'ambiguous' | 'raw'
  /** Values of the arguments: the best guess if the log is `ambiguous`, and null if it is `raw`. */
  decoded: DecodedReading['decoded'] | null
  indexed: DecodedReading['indexed'] | null
  indexed_hash: DecodedReading['indexed_hash']
  /** Interpretations that fit an `ambiguous` log, starting with the best guess. Absent for other logs. */
  readings?: readonly DecodedReading[]
  /**
   * Number of interpretations that are left out of `readings` because there are too many or they are too long. Absent
   * if zero.
   */
  readings_omitted?: number
  /** Reason why a `raw` log could not be decoded. Absent for other logs. */
  decode_error?: string
}
