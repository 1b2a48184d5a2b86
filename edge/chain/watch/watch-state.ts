import { FloodedRoutes } from './flooded-routes.ts'
import { KeptChain } from './kept-chain.ts'
import { Marks } from './marks.ts'
import { Notices } from './notices.ts'
import { Subscriptions } from './subscriptions.ts'

/** A transaction changes all parts of the state together. */
export class WatchState {
  readonly kept: KeptChain
  readonly subscriptions: Subscriptions
  readonly marks: Marks
  readonly notices: Notices
  /** Last block of the log request in flight. A filter that is added now covers only later blocks. */
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

  /** Applies a change completely or not at all, in memory and in storage. */
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

  /** First block to be searched with a filter that is added now; undefined before the first poll. */
  get nextCovered(): number | undefined {
    const { through } = this.kept
    return through === undefined ? undefined : Math.max(through, this.lookingThrough) + 1
  }

  /** Call when no subscriptions are left. Must be called in a transaction. */
  forgetChain(): void {
    this.kept.restart(undefined)
    this.marks.keepOnly(new Set())
    this.notices.clear()
    this.lookingThrough = -1
  }
}
