/** Filter for the logs that fire one trigger. Hex values are lower case. */
export type LogFilter = {
  address: string
  topic0: string
  /** Allowed values of the topics after the first, by position. Null allows any value. There are no trailing nulls. */
  topics: (readonly string[] | null)[]
}

/**
 * Parameters of one `eth_getLogs` request. A query matches every combination of its values, so a query that merges
 * several filters also matches other logs.
 */
export type LogQuery = {
  addresses: readonly string[]
  /** Allowed values for topic positions 0 to 3. Null allows any value. There are no trailing nulls. */
  topics: readonly (readonly string[] | null)[]
}
