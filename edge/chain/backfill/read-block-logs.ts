import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import { ChainUnreachableError, RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'
import type { LogReader } from './log-reader.ts'

/** Providers that silently truncate a response do so at a multiple of this number of logs. */
const TRUNCATED_AT = 1_000

/** The provider refuses to return all logs of a single block, whether by block number or by block hash. */
export class BlockRejectedError extends Error {
  override name = 'BlockRejectedError'
  constructor(number: number) {
    super(`the provider refuses the logs of the single block ${number}`)
  }
}

export function mayBeTruncated(logs: readonly ChainLog[]): boolean {
  return logs.length > 0 && logs.length % TRUNCATED_AT === 0
}

/**
 * Reads the logs of one block, first by block number, then by block hash. Some providers limit requests for ranges but
 * not requests by hash.
 * @throws {BlockRejectedError}
 * @throws {ChainUnreachableError}
 * @throws {NodeLaggingError}
 */
export async function readBlockLogs(
  chain: LogReader,
  query: LogQuery,
  number: number,
  priority: ReadPriority,
): Promise<ChainLog[]> {
  try {
    const logs = await chain.logs(query, number, number, priority)
    if (!mayBeTruncated(logs)) return logs
  } catch (error) {
    if (!isSizeRejection(error)) throw error
  }
  const [header] = await chain.headersOf([number])
  try {
    return await chain.logsOfBlock(query, header!)
  } catch (error) {
    throw isSizeRejection(error) ? new BlockRejectedError(number) : error
  }
}

/**
 * Returns true if the provider may have rejected the size of the response. For a single block, a size rejection cannot
 * be distinguished from other failures of the request.
 */
export function isSizeRejection(error: unknown): boolean {
  return (
    error instanceof RangeRejectedError ||
    (error instanceof ChainUnreachableError && error.perhapsRange)
  )
}
