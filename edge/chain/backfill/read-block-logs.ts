import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader, ReadPriority } from '../rpc/chain-reader.ts'
import { ChainUnreachableError, RangeRejectedError } from '../rpc/chain-read-errors.ts'

/** Providers that silently truncate a response do so at a multiple of this number of logs. */
const TRUNCATED_AT = 1_000

/** A provider does not return all logs of a block, neither by block number nor by block hash. */
export class BlockRejectedError extends Error {
  override name = 'BlockRejectedError'
  constructor(number: number) {
    super(`the provider refuses the logs of the single block ${number}`)
  }
}

/** True if the provider may have truncated the response silently. */
export function mayBeTruncated(logs: readonly ChainLog[]): boolean {
  return logs.length > 0 && logs.length % TRUNCATED_AT === 0
}

/**
 * Fetches by block number first, then by block hash, because some providers limit ranges but not requests by hash.
 * @throws {BlockRejectedError}
 * @throws {ChainUnreachableError}
 * @throws {NodeLaggingError}
 */
export async function readBlockLogs(
  chain: ChainReader,
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
 * True if the provider may have rejected the size of the response. For a single block, this cannot be distinguished
 * from other failures of the request.
 */
export function isSizeRejection(error: unknown): boolean {
  return (
    error instanceof RangeRejectedError ||
    (error instanceof ChainUnreachableError && error.perhapsRange)
  )
}
