import type { ChainLog } from '../chain-log.ts'
import type { LogFilter, LogQuery } from '../matching/log-filter.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { ChainAway, RangeRefused } from '../rpc/rpc-failures.ts'
import type { BlockRange } from '../subscription.ts'
import { logsOfOneBlock, mayBeCut } from './one-block.ts'
import { queryOfFilter } from './query-of-filter.ts'
import { RangeSize } from './range-size.ts'

/** A preview is looked at by somebody who waits: some blocks, quickly, and not the whole chain. */
const QUESTIONS_MAX = 12
const WITHIN_MS = 5_000

/** The last blocks, that are looked at first: most contracts that are watched have a log in them. */
const FIRST_BLOCKS = 100

/** Previews at once: they share the questions of backfills, and each has twelve. */
const AT_ONCE = 2

export type Recent = { state: 'found'; logs: ChainLog[]; searched: BlockRange }

/** Newest first, of the blocks from `from` on. */
type Found = { logs: ChainLog[]; from: number }

/** The last logs of single filters, for previews. */
export class RecentLogs {
  readonly #chain: ChainReader
  readonly #size: RangeSize
  readonly #sleep: (ms: number, ended: AbortSignal) => Promise<void>
  #underWay = 0

  /** @param size of the chain's backfill: no question of a preview is longer */
  constructor(
    chain: ChainReader,
    size: RangeSize,
    sleep: (ms: number, ended: AbortSignal) => Promise<void>,
  ) {
    this.#chain = chain
    this.#size = size
    this.#sleep = sleep
  }

  /**
   * Goes back from a block until there are enough logs, or the preview's questions or its time are spent.
   * @param last the last block that is final; below 0 where none is yet
   * @returns at most `limit` logs, newest first; `searched`: between these blocks there are no others that match
   * @throws {ChainAway} @throws {NodeLags} @throws {BlockRefused} where no question at all was answered
   */
  async find(
    filter: LogFilter,
    last: number,
    limit: number,
  ): Promise<Recent | { state: 'busy'; retryAfterS: number }> {
    if (this.#underWay >= AT_ONCE) return { state: 'busy', retryAfterS: WITHIN_MS / 1000 }
    if (last < 0) return { state: 'found', logs: [], searched: { from: 0, to: last } }
    this.#underWay++
    const ended = new AbortController()
    const found: Found = { logs: [], from: last + 1 }
    try {
      const search = this.#search(queryOfFilter(filter), found, limit, ended.signal)
      await Promise.race([search, this.#sleep(WITHIN_MS, ended.signal)])
    } catch (error) {
      if (found.from > last) throw error
    } finally {
      ended.abort()
      this.#underWay--
    }
    if (found.from > last) throw new ChainAway('nothing was answered in time')
    const logs = found.logs.slice(0, limit)
    // Of what is left out nothing is said.
    const from = logs.length < found.logs.length ? logs.at(-1)!.blockNumber : found.from
    return { state: 'found', logs, searched: { from, to: last } }
  }

  /** Adds what it finds to `found`, so that it is there when the time is over. */
  async #search(query: LogQuery, found: Found, limit: number, ended: AbortSignal): Promise<void> {
    // Its own: a contract with many logs says nothing about other ranges.
    const size = new RangeSize(FIRST_BLOCKS, this.#size.blocks)
    for (let asked = 0; asked < QUESTIONS_MAX; asked++) {
      const to = found.from - 1
      const from = Math.max(0, to - size.blocks + 1)
      const logs = await this.#ask(query, { from, to }, size)
      if (ended.aborted) return
      if (!logs) continue
      found.logs.push(...logs.toReversed())
      found.from = from
      if (found.logs.length >= limit || from === 0) return
    }
  }

  /** @returns `undefined` where a smaller range has to be asked for */
  async #ask(
    query: LogQuery,
    { from, to }: BlockRange,
    size: RangeSize,
  ): Promise<ChainLog[] | undefined> {
    const blocks = to - from + 1
    if (blocks === 1) return logsOfOneBlock(this.#chain, query, to, 'backfill')
    try {
      const logs = await this.#chain.logs(query, from, to, 'backfill')
      if (!mayBeCut(logs)) {
        size.answered(blocks)
        return logs
      }
      size.refused(blocks)
    } catch (error) {
      if (!(error instanceof RangeRefused)) throw error
      size.refused(blocks, error.blocks)
    }
    return undefined
  }
}
