import type { Sleep } from '../../sleep.ts'
import { type ChainLog, compareLogs } from '../chain-log.ts'
import type { LogFilter, LogQuery } from '../matching/log-filter.ts'
import { matchesFilter } from '../matching/log-matching.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { ChainUnreachableError, RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'
import type { BlockRange } from '../subscription.ts'
import { readerOf } from './filter-reader.ts'
import type { LogReader } from './log-reader.ts'
import { readBlockLogs, mayBeTruncated } from './read-block-logs.ts'
import { RangeSize } from './range-size.ts'

/**
 * Maximum number of requests per preview. A user is waiting for the preview, so it searches only recent blocks instead
 * of the whole chain.
 */
const SEARCH_REQUESTS_MAX = 12
const SEARCH_TIMEOUT_MS = 5_000

/** Initial number of blocks to search. Most watched contracts have a log in the latest 100 blocks. */
const FIRST_BLOCKS = 100

/** Maximum number of concurrent previews. Each may send twelve requests, over connections shared with backfills. */
const SEARCHES_AT_ONCE = 2

type RecentLogsResult = { state: 'found'; logs: ChainLog[]; searched: BlockRange }

/** Logs found so far, newest first. All blocks from `from` onward have been searched. */
type SearchProgress = { logs: ChainLog[]; from: number }

export class RecentLogSearch {
  readonly #chain: ChainReader
  readonly #size: RangeSize
  readonly #sleep: Sleep
  #inFlight = 0

  /** @param size size limits learned by the chain's backfill; an upper limit for the requests of previews */
  constructor(chain: ChainReader, size: RangeSize, sleep: Sleep) {
    this.#chain = chain
    this.#size = size
    this.#sleep = sleep
  }

  /**
   * Searches backward until enough logs are found, or until the limit on requests or time is reached. Throws only if no
   * request succeeded.
   * @param last latest finalized block; negative if the chain has no finalized block yet
   * @returns at most `limit` logs, newest first; the blocks in `searched` contain no other matching logs
   * @throws {ChainUnreachableError}
   * @throws {NodeLaggingError}
   * @throws {BlockRejectedError}
   */
  async find(
    filter: LogFilter,
    last: number,
    limit: number,
  ): Promise<RecentLogsResult | { state: 'busy'; retryAfterS: number }> {
    if (this.#inFlight >= SEARCHES_AT_ONCE)
      return { state: 'busy', retryAfterS: SEARCH_TIMEOUT_MS / 1000 }
    if (last < 0) return { state: 'found', logs: [], searched: { from: 0, to: last } }
    this.#inFlight++
    const ended = new AbortController()
    const found: SearchProgress = { logs: [], from: last + 1 }
    try {
      const search = this.#search(filter, found, limit, ended.signal)
      await Promise.race([search, this.#sleep(SEARCH_TIMEOUT_MS, ended.signal)])
    } catch (error) {
      if (found.from > last) throw error
    } finally {
      ended.abort()
      this.#inFlight--
    }
    if (found.from > last) throw new ChainUnreachableError('no response in time')
    const logs = found.logs.slice(0, limit)
    // The reported range must not cover logs that were left out.
    const from = logs.length < found.logs.length ? logs.at(-1)!.blockNumber : found.from
    return { state: 'found', logs, searched: { from, to: last } }
  }

  /** Adds the logs of each response to `found`, so that partial results are available at the deadline. */
  async #search(
    filter: LogFilter,
    found: SearchProgress,
    limit: number,
    ended: AbortSignal,
  ): Promise<void> {
    // The search uses its own `RangeSize`, because a contract with many logs must not affect the size of other
    // requests.
    const first = new RangeSize(FIRST_BLOCKS, this.#size.blocks)
    const reader = readerOf(filter, { chain: this.#chain, size: first }, limit)
    const { chain, size, query } = reader
    const applied = reader.filter ?? filter
    for (let requests = 0; requests < SEARCH_REQUESTS_MAX; requests++) {
      const to = found.from - 1
      const from = Math.max(0, to - size.blocks + 1)
      const logs = await requestRange(chain, query, { from, to }, size)
      if (ended.aborted) return
      if (!logs) continue
      found.logs = newestFirst([
        ...found.logs,
        ...logs.filter((log) => matchesFilter(applied, log)),
      ])
      found.from = from
      if (found.logs.length >= limit || from === 0) return
    }
  }
}

/** Sorts logs, and removes duplicates. A reader that learns contracts also returns logs of blocks that were searched. */
function newestFirst(logs: readonly ChainLog[]): ChainLog[] {
  const sorted = logs.toSorted((one, other) => compareLogs(other, one))
  return sorted.filter((log, at) => at === 0 || compareLogs(sorted[at - 1]!, log) !== 0)
}

/** Returns undefined if a smaller range must be requested. */
async function requestRange(
  chain: LogReader,
  query: LogQuery,
  { from, to }: BlockRange,
  size: RangeSize,
): Promise<ChainLog[] | undefined> {
  const blocks = to - from + 1
  if (blocks === 1) return readBlockLogs(chain, query, to, 'backfill')
  try {
    const logs = await chain.logs(query, from, to, 'backfill')
    if (!mayBeTruncated(logs)) {
      size.recordSuccess(blocks)
      return logs
    }
    size.recordRejection(blocks)
  } catch (error) {
    if (!(error instanceof RangeRejectedError)) throw error
    size.recordRejection(blocks, error.blocks)
  }
  return undefined
}
