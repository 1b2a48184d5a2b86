import type { ChainLog } from '../chain-log.ts'
import type { LogQuery } from '../matching/log-filter.ts'
import type { ChainReader, ReadLane } from '../rpc/chain-reader.ts'
import type { BlockRange } from '../subscription.ts'
import { weightOf } from './log-density.ts'
import { RangeReader, type ReadLogs } from './range-reader.ts'
import type { RangeSize } from './range-size.ts'

const QUESTIONS_AT_ONCE = 4

/** A few responses. */
const HELD_MAX = 20_000

/** `logs` cannot be returned until the other queries have reached the same block. */
type Part = { reader: RangeReader; logs: ChainLog[]; through: number }

/**
 * Reads a range for several queries together. A log that matches several queries is returned once.
 * Finishes when all logs have been returned, or the signal is aborted. After an error, the caller can continue behind
 * the logs returned so far.
 * @returns logs in order of block and index, in batches with the last block that was read for all queries
 * @throws {ChainAway}
 * @throws {NodeLags}
 * @throws {BlockRefused}
 */
export async function* readUnion(
  { chain, size }: { chain: ChainReader; size: RangeSize },
  queries: readonly LogQuery[],
  { from, to }: BlockRange,
  { lane, signal }: { lane: ReadLane; signal: AbortSignal },
): AsyncGenerator<ReadLogs, void, void> {
  const parts = queries.map<Part>((query) => ({
    reader: new RangeReader(chain, size, { query, from, to, lane }),
    logs: [],
    through: from - 1,
  }))
  const asked = new Set<Promise<void>>()
  let through = from - 1
  const failures: unknown[] = []
  while (through < to && !signal.aborted) {
    while (asked.size < QUESTIONS_AT_ONCE && failures.length === 0) {
      const answer = askNext(parts, asked.size === 0)
      if (!answer) break
      const settled = answer
        .catch((error: unknown) => void failures.push(error))
        .finally(() => asked.delete(settled))
      asked.add(settled)
    }
    // After a failure, the requests in flight may complete blocks that other queries have already read.
    if (asked.size > 0) await Promise.race(asked)
    const read = takeOf(parts)
    if (read.through > through) {
      through = read.through
      yield read
    }
    if (failures.length > 0 && asked.size === 0) throw failures[0]
  }
}

/**
 * Prefers the query that is farthest behind; other queries need room for their logs. Undefined if no request can be
 * sent.
 */
function askNext(parts: readonly Part[], isOnly: boolean): Promise<void> | undefined {
  const held = parts.reduce((sum, part) => sum + weightOf(part.logs) + part.reader.waiting, 0)
  const inTurn = parts.toSorted((a, b) => a.through - b.through)
  const behind = inTurn[0]?.through
  for (const { reader, through } of inTurn) {
    const room = HELD_MAX - held
    if (room <= 0 && through !== behind) continue
    const question = reader.next(room, isOnly)
    if (question) return reader.ask(question)
  }
  return undefined
}

/** The logs up to the last block that all queries have reached. */
function takeOf(parts: readonly Part[]): ReadLogs {
  for (const part of parts) {
    const read = part.reader.take()
    if (read) Object.assign(part, { logs: [...part.logs, ...read.logs], through: read.through })
  }
  const through = Math.min(...parts.map((part) => part.through))
  const ready = parts.flatMap(({ logs }) => logs.filter((log) => log.blockNumber <= through))
  for (const part of parts) part.logs = part.logs.filter((log) => log.blockNumber > through)
  return { logs: inOrderAndOnce(ready), through }
}

function inOrderAndOnce(logs: ChainLog[]): ChainLog[] {
  const sorted = logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  return sorted.filter((log, index) => {
    const before = sorted[index - 1]
    return log.blockNumber !== before?.blockNumber || log.logIndex !== before.logIndex
  })
}
