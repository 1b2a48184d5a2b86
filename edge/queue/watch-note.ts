import type { ChainName } from '../chain/chain-settings.ts'
import type { Subscription } from '../chain/subscription.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import { Telling } from './telling.ts'
import type { TriggerState } from './trigger-state.ts'

export type WatchNoteOptions = {
  state: Pick<TriggerState, 'row' | 'watch' | 'watchTold'>
  /** `undefined` if the trigger does not need any events. */
  subscription: () => Subscription | undefined
  watcher: (chain: ChainName) => Pick<Watcher, 'watch' | 'unwatch'>
  now: () => number
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Keeps a trigger's subscription to the chain watcher up to date. Every change of the trigger also sets `watch_stale`,
 * so that the alarm can complete an interrupted update (`docs/decisions/0045`).
 */
export class WatchNote {
  readonly #options: WatchNoteOptions
  readonly #telling: Telling
  /** True if the subscription must be sent again although it has not changed. */
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

  /** Sends a pending update, and waits briefly for it to complete. Never throws. */
  tell(): Promise<void> {
    return this.#telling.now()
  }

  /**
   * Like `tell`.
   * @throws {Error} if the update is still pending afterwards
   */
  async told(): Promise<void> {
    await this.tell()
    if (this.#isOwed()) throw new Error('the update of the chain watcher is still pending')
  }

  /** Sends the subscription again, in case the chain watcher has lost it. */
  tellAgain(): Promise<void> {
    this.#again = true
    return this.#telling.now()
  }

  /** Alarm task: continues a pending update. */
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
