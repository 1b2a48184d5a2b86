import { FloodedRoutes } from './flooded-routes.ts'
import { KeptChain } from './kept-chain.ts'
import { Marks } from './marks.ts'
import { Notices } from './notices.ts'
import { Subscriptions } from './subscriptions.ts'

/** What the watcher knows, in memory and on disk; the parts of it change together. */
export class WatchState {
  readonly kept: KeptChain
  readonly subscriptions: Subscriptions
  readonly marks: Marks
  readonly notices: Notices
  /**
   * The last block of those whose logs are being asked for: a filter that comes now is not in that question, and covers
   * the blocks behind it.
   */
  lookingThrough = -1
  readonly flooded = new FloodedRoutes()
  readonly #storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    this.#storage = storage
    this.kept = new KeptChain(storage.sql)
    this.subscriptions = new Subscriptions(storage.sql)
    this.marks = new Marks(storage.sql)
    this.notices = new Notices(storage.sql)
  }

  /** All of a change or nothing of it, in memory as on disk. */
  readonly transaction = (work: () => void): void => {
    try {
      this.#storage.transactionSync(work)
    } catch (error) {
      this.kept.load()
      this.subscriptions.load()
      this.marks.load()
      this.notices.load()
      throw error
    }
  }

  /** The first block whose logs will be asked for with a filter that comes now; `undefined` before the first look. */
  get nextCovered(): number | undefined {
    const { through } = this.kept
    return through === undefined ? undefined : Math.max(through, this.lookingThrough) + 1
  }

  /** Nobody wants anything any more: what was kept is of no use. In a transaction. */
  forgetChain(): void {
    this.kept.restart(undefined)
    this.marks.keepOnly(new Set())
    this.notices.clear()
    this.lookingThrough = -1
  }
}
