import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader, ReadLane } from '../rpc/chain-reader.ts'
import { ChainAway, RangeRefused } from '../rpc/rpc-failures.ts'

/** Providers that silently truncate a response do so at a multiple of this number of logs. */
const CUT_AT = 1_000

/** A provider does not return all logs of a block, neither by block number nor by block hash. */
export class BlockRefused extends Error {
  override name = 'BlockRefused'
  constructor(number: number) {
    super(`the provider refuses the logs of the single block ${number}`)
  }
}

/** True if the provider may have truncated the response silently. */
export function mayBeCut(logs: readonly ChainLog[]): boolean {
  return logs.length > 0 && logs.length % CUT_AT === 0
}

/**
 * Fetches by block number first, then by block hash, because some providers limit ranges but not requests by hash.
 * @throws {BlockRefused}
 * @throws {ChainAway}
 * @throws {NodeLags}
 */
export async function logsOfOneBlock(
  chain: ChainReader,
  query: LogQuery,
  number: number,
  lane: ReadLane,
): Promise<ChainLog[]> {
  try {
    const logs = await chain.logs(query, number, number, lane)
    if (!mayBeCut(logs)) return logs
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
  const [header] = await chain.headersOf([number])
  try {
    return await chain.logsOfBlock(query, header!)
  } catch (error) {
    throw isRefusal(error) ? new BlockRefused(number) : error
  }
}

/**
 * True if the provider may have rejected the size of the response. For a single block, this cannot be distinguished
 * from other failures of the request.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof RangeRefused || (error instanceof ChainAway && error.perhapsRange)
}
