/** What is made of a log's topics and data, given only types. */

/** Integers are decimal strings, bytes 0x hex, addresses checksummed, arrays and tuples arrays. */
export type DecodedValue = string | boolean | readonly DecodedValue[]

/**
 * How a log is decoded. It is kept with the run, so that its input never changes when more becomes known.
 * `exact`: `indexed` is certain, by marks, by the count of topics, or by a table of known events. `inferred`: it is what
 * the values speak for. `raw`: nothing fits, and the reason says why.
 */
export type DecodePlan =
  | { decode: 'exact' | 'inferred'; indexed: readonly number[] }
  | { decode: 'raw'; reason: string }

export type DecodedLog = {
  decode: 'exact' | 'inferred' | 'raw'
  /** `arg0`, `arg1`, ...; `null` where it is `raw`. */
  decoded: Record<string, DecodedValue> | null
  /** Positions of the arguments that are in the topics; `null` where it is `raw`. */
  indexed: readonly number[] | null
  /** Arguments of dynamic types that are indexed: their value is the hash that the topic has. */
  indexed_hash: readonly string[]
  /** Why it is `raw`. */
  decode_error?: string
}
