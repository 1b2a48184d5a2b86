import type { ChainName } from '../chain/chain-settings.ts'
import type { Subscription } from '../chain/subscription.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import { Telling } from './telling.ts'
import type { TriggerState } from './trigger-state.ts'

export type WatchNoteOptions = {
  state: Pick<TriggerState, 'row' | 'watch' | 'watchTold'>
  /** What the watcher is asked for now; `undefined` for nothing. */
  subscription: () => Subscription | undefined
  watcher: (chain: ChainName) => Pick<Watcher, 'watch' | 'unwatch'>
  now: () => number
  /** Returns after this time, or once nobody waits for it any more. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Keeps the subscription at the watcher of the trigger's chain as the object says it is: like the row in the index, the
 * object is written first, with the note `watch_stale` (`decisions.md`, Truth).
 */
export class WatchNote {
  readonly #options: WatchNoteOptions
  readonly #telling: Telling
  /** To be told again, although nothing has changed. */
  #again = false

  constructor(options: WatchNoteOptions) {
    this.#options = options
    const { log, now, sleep } = options
    this.#telling = new Telling({
      isOwed: () => this.#isOwed(),
      tell: () => this.#tellOnce(),
      failed: (reason, failures) => log('watch.failed', { reason, failures }),
      now,
      sleep,
    })
  }

  /** Tells the watcher, if it has to be told, for as long as an answer can wait for it. It never fails its caller. */
  tell(): Promise<void> {
    return this.#telling.now()
  }

  /** @throws {Error} unless the watcher knows all */
  async told(): Promise<void> {
    await this.tell()
    if (this.#isOwed()) throw new Error('the watcher of its chain has not been told')
  }

  /** Tells it once more: a subscription that was lost is there again. */
  tellAgain(): Promise<void> {
    this.#again = true
    return this.#telling.now()
  }

  /** The alarm's part. @returns when to look again */
  tend(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    return this.#telling.tend(now, keepAlive)
  }

  #isOwed(): boolean {
    const { row, watch } = this.#options.state
    return watch !== undefined && (this.#again || row?.watchStale === true)
  }

  async #tellOnce(): Promise<void> {
    const { state, subscription, watcher } = this.#options
    const { triggerId, version } = state.row!
    const { chain, left } = state.watch!
    this.#again = false
    for (const former of left)
      await this.#telling.orGivenUp(watcher(former).unwatch(triggerId, version))
    const wanted = subscription()
    const telling = wanted
      ? watcher(chain).watch(wanted)
      : watcher(chain).unwatch(triggerId, version)
    await this.#telling.orGivenUp(telling)
    state.watchTold(version)
  }
}
