/** Selects the logs that fire one trigger. Hex is lower case. */
export type LogFilter = {
  address: string
  topic0: string
  /** Allowed values of the topics after the first, by position. Null allows any value. No trailing nulls. */
  topics: (readonly string[] | null)[]
}

/**
 * Parameters of one `eth_getLogs` request. It matches every combination of these values, so a query made from several
 * filters also returns other logs.
 */
export type LogQuery = {
  addresses: readonly string[]
  /** Positions 0 to 3, without trailing nulls. */
  topics: readonly (readonly string[] | null)[]
}
