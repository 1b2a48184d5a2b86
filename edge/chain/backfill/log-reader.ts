import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { RangeSize } from './range-size.ts'

export type LogReader = Pick<ChainReader, 'logs' | 'logsOfBlock' | 'headersOf'>

/** Reads ranges of blocks for one filter. `size` is the number of blocks per request. */
export type FilterReader = { chain: LogReader; size: RangeSize; query: LogQuery }
