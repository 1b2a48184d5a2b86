import type { LogFilter, LogQuery } from '../matching/log-filter.ts'

export function toLogQuery({ address, topic0, topics }: LogFilter): LogQuery {
  return { addresses: [address], topics: [[topic0], ...topics] }
}
