import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader, ReadLane } from '../rpc/chain-reader.ts'
import { ChainAway, RangeRefused } from '../rpc/rpc-failures.ts'

/** Providers that truncate responses do so at a multiple of this number. */
const CUT_AT = 1_000

/** The provider does not return all logs of one block, neither by its number nor by its hash. */
export class BlockRefused extends Error {
  override name = 'BlockRefused'
  constructor(number: number) {
    super(`the provider refuses the logs of block ${number} alone`)
  }
}

/** Returns true if a response may have been truncated silently, judging by its number of logs. */
export function mayBeCut(logs: readonly ChainLog[]): boolean {
  return logs.length > 0 && logs.length % CUT_AT === 0
}

/**
 * Fetches the logs of a single block, for which there is no smaller range. Falls back to the block's hash, because some
 * providers limit ranges but not requests by hash.
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
 * Returns true if the provider may have rejected the size of the response. For a single block, such a rejection looks
 * like other failures of the request.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof RangeRefused || (error instanceof ChainAway && error.perhapsRange)
}
