/** Filter of one trigger. Hex values are lower case. */
export type LogFilter = {
  address: string
  topic0: string
  /** By position, after the first topic. Null allows any value. There are no trailing nulls. */
  topics: (readonly string[] | null)[]
}

/**
 * Parameters of one `eth_getLogs` request. A query that merges several filters also matches other logs, because it
 * matches every combination of its values.
 */
export type LogQuery = {
  addresses: readonly string[]
  /** Topic positions 0 to 3. Null allows any value. There are no trailing nulls. */
  topics: readonly (readonly string[] | null)[]
}

export function toLogQuery({ address, topic0, topics }: LogFilter): LogQuery {
  return { addresses: [address], topics: [[topic0], ...topics] }
}
