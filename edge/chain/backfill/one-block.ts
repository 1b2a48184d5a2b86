import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader, ReadLane } from '../rpc/chain-reader.ts'
import { ChainAway, RangeRefused } from '../rpc/rpc-failures.ts'

/** A provider that cuts its answers cuts them at a multiple of this. */
const CUT_AT = 1_000

/** The provider does not give all logs of one block, neither by its number nor by its hash. */
export class BlockRefused extends Error {
  override name = 'BlockRefused'
  constructor(number: number) {
    super(`the provider refuses the logs of block ${number} alone`)
  }
}

/** Whether an answer may have been cut in silence: so many logs, and no other number, is what a provider gives at most. */
export function mayBeCut(logs: readonly ChainLog[]): boolean {
  return logs.length > 0 && logs.length % CUT_AT === 0
}

/**
 * The logs of a block: no smaller range can be asked for. Some providers hold ranges to a limit, and blocks that are named
 * by their hash to none.
 * @throws {BlockRefused} @throws {ChainAway} @throws {NodeLags}
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

/** For one block there is no smaller range, so that a refusal looks like other failures of the question. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RangeRefused || (error instanceof ChainAway && error.perhapsRange)
}
