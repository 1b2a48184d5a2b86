import { type ChainLog, compareLogs } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { BlockRange } from '../subscription.ts'
import { weightOf } from './log-density.ts'
import { RangeReader, type LogBatch } from './range-reader.ts'
import type { FilterReader } from './log-reader.ts'
import type { RangeSize } from './range-size.ts'

/** Maximum number of concurrent requests. Free provider plans accept this many without responding with 429. */
export const REQUESTS_AT_ONCE = 4

/** Maximum size of buffered logs, about as large as a few responses. */
const BUFFERED_MAX = 20_000

/** `logs` cannot be returned until the other queries have reached the same block. */
type QueryProgress = { reader: RangeReader; logs: ChainLog[]; through: number }

/**
 * Reads a range for several queries together. A log that matches several queries is returned once.
 * Finishes when all logs have been returned, or when the signal is aborted. After an error, the caller can continue
 * after the last batch that was returned.
 * @param others additional readers, whose logs are merged in the same order
 * @returns batches of logs in order of block and index, each with the last block that was read for all queries
 * @throws {ChainUnreachableError}
 * @throws {NodeLaggingError}
 * @throws {BlockRejectedError}
 */
export async function* readQueries(
  { chain, size }: { chain: ChainReader; size: RangeSize },
  queries: readonly LogQuery[],
  { from, to }: BlockRange,
  { lane, signal }: { lane: ReadPriority; signal: AbortSignal },
  others: readonly FilterReader[] = [],
): AsyncGenerator<LogBatch, void, void> {
  const readers: FilterReader[] = [...queries.map((query) => ({ chain, size, query })), ...others]
  const parts = readers.map<QueryProgress>((one) => ({
    reader: new RangeReader(one.chain, one.size, { query: one.query, from, to, lane }),
    logs: [],
    through: from - 1,
  }))
  const inFlight = new Set<Promise<void>>()
  let through = from - 1
  const failures: unknown[] = []
  while (through < to && !signal.aborted) {
    while (inFlight.size < REQUESTS_AT_ONCE && failures.length === 0) {
      const sent = sendNext(parts, inFlight.size === 0)
      if (!sent) break
      const settled = sent
        .catch((error: unknown) => void failures.push(error))
        .finally(() => inFlight.delete(settled))
      inFlight.add(settled)
    }
    // Waits for the requests in flight even after a failure, because they may complete blocks that the other queries
    // have already read.
    if (inFlight.size > 0) await Promise.race(inFlight)
    const read = takeReady(parts)
    if (read.through > through) {
      through = read.through
      yield read
    }
    if (failures.length > 0 && inFlight.size === 0) throw failures[0]
  }
}

/** Prefers the query that is farthest behind. Others may send a request only if there is room for their logs. */
function sendNext(parts: readonly QueryProgress[], isOnly: boolean): Promise<void> | undefined {
  const buffered = parts.reduce(
    (sum, part) => sum + weightOf(part.logs) + part.reader.bufferedWeight,
    0,
  )
  const inTurn = parts.toSorted((a, b) => a.through - b.through)
  const behind = inTurn[0]?.through
  for (const { reader, through } of inTurn) {
    const room = BUFFERED_MAX - buffered
    if (room <= 0 && through !== behind) continue
    const request = reader.next(room, isOnly)
    if (request) return reader.send(request)
  }
  return undefined
}

/** Returns the logs up to the last block that all queries have reached. */
function takeReady(parts: readonly QueryProgress[]): LogBatch {
  for (const part of parts) {
    const read = part.reader.take()
    if (read) Object.assign(part, { logs: [...part.logs, ...read.logs], through: read.through })
  }
  const through = Math.min(...parts.map((part) => part.through))
  const ready = parts.flatMap(({ logs }) => logs.filter((log) => log.blockNumber <= through))
  for (const part of parts) part.logs = part.logs.filter((log) => log.blockNumber > through)
  return { logs: sortedUnique(ready), through }
}

function sortedUnique(logs: ChainLog[]): ChainLog[] {
  const sorted = logs.toSorted(compareLogs)
  return sorted.filter((log, index) => {
    const before = sorted[index - 1]
    return !before || compareLogs(before, log) !== 0
  })
}
