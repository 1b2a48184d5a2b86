import type { LogFilter, LogQuery } from '../matching/log-filter.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { RangeSize } from './range-size.ts'

export type LogReader = Pick<ChainReader, 'logs' | 'logsOfBlock' | 'headersOf'>

/**
 * Reads ranges of blocks for one filter. `size` is the number of blocks per request. `filter` is set if the reader
 * learns what the filter matches.
 */
export type FilterReader = {
  chain: LogReader
  size: RangeSize
  query: LogQuery
  filter?: LogFilter
}
