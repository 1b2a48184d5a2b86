/** Which logs fire one trigger. Hex is lower case. */
export type LogFilter = {
  address: string
  topic0: string
  /** What the topics after the first may be, by position; `null` is anything. Without trailing nulls. */
  topics: (readonly string[] | null)[]
}

/** What one `eth_getLogs` asks for: every combination of these, which is more than the filters that it was made of. */
export type LogQuery = {
  addresses: readonly string[]
  /** Of positions 0 to 3, without trailing nulls. */
  topics: readonly (readonly string[] | null)[]
}
