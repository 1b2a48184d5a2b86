import type { LogFilter, LogQuery } from '../matching/log-filter.ts'

/** Asks for exactly what one filter lets through. */
export function queryOfFilter({ address, topic0, topics }: LogFilter): LogQuery {
  return { addresses: [address], topics: [[topic0], ...topics] }
}
