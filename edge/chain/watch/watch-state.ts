import { UnfinalizedChain } from './unfinalized-chain.ts'
import { Watermarks } from './watermarks.ts'
import { ReorgNotices } from './reorg-notices.ts'
import { Subscriptions } from './subscriptions.ts'
import { isEndPast } from '../../deadline.ts'

/** State of a watcher. A transaction changes all of its parts together. */
export class WatchState {
  readonly unfinalized: UnfinalizedChain
  readonly subscriptions: Subscriptions
  readonly watermarks: Watermarks
  readonly notices: ReorgNotices
  /** Last block of the log request in flight. A filter that is added now covers only later blocks. */
  searchingThrough = -1
  readonly flooded = new FloodedRoutes()
  readonly #storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    this.#storage = storage
    this.unfinalized = new UnfinalizedChain(storage.sql)
    this.subscriptions = new Subscriptions(storage.sql)
    this.watermarks = new Watermarks(storage.sql)
    this.notices = new ReorgNotices(storage.sql)
  }

  /** Applies a change completely or not at all, both in memory and in storage. */
  readonly transaction = (work: () => void): void => {
    try {
      this.#storage.transactionSync(work)
    } catch (error) {
      this.unfinalized.load()
      this.subscriptions.load()
      this.watermarks.load()
      this.notices.load()
      throw error
    }
  }

  /** First block that will be searched with a filter that is added now. Undefined before the first poll. */
  get nextCovered(): number | undefined {
    const { through } = this.unfinalized
    return through === undefined ? undefined : Math.max(through, this.searchingThrough) + 1
  }

  /** Must be called in a transaction, when no subscriptions are left. */
  clear(): void {
    this.unfinalized.restart(undefined)
    this.watermarks.keepOnly(new Set())
    this.notices.clear()
    this.searchingThrough = -1
  }
}

/** Time until the logs of a rejected block are requested again. Another plan or provider may return them. */
const FLOODED_RETRY_MS = 60_000

/**
 * Filter groups with more logs in one block than any endpoint returns. Their triggers wait at that block with their own
 * cursors, so that they miss no logs and do not delay other triggers.
 */
class FloodedRoutes {
  readonly #until = new Map<string, number>()

  has(route: string, now: number): boolean {
    const until = this.#until.get(route)
    if (until !== undefined && isEndPast(until, FLOODED_RETRY_MS, now)) this.#until.delete(route)
    return this.#until.has(route)
  }

  add(route: string, now: number): void {
    this.#until.set(route, now + FLOODED_RETRY_MS)
  }
}
