import type { LogFilter, LogQuery } from '../matching/log-filter.ts'

/** Returns a query for exactly the logs that match one filter. */
export function queryOfFilter({ address, topic0, topics }: LogFilter): LogQuery {
  return { addresses: [address], topics: [[topic0], ...topics] }
}
