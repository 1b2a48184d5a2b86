import type { ChainName } from '../../shared/config/chain-settings.ts'
import type { Subscription } from '../chain/subscription.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import type { Sleep } from '../sleep.ts'
import { StateOutbox } from './state-outbox.ts'
import type { TriggerState } from './trigger-state.ts'

type SubscriptionOutboxOptions = {
  state: Pick<TriggerState, 'row' | 'watch' | 'markWatcherUpdated'>
  /** Returns the trigger's subscription, or `undefined` if the trigger does not need any events. */
  subscription: () => Subscription | undefined
  watcher: (chain: ChainName) => Pick<Watcher, 'watch' | 'unwatch'>
  now: () => number
  sleep: Sleep
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Keeps a trigger's subscription to the chain watcher up to date. Every change of the trigger also sets `watch_stale`,
 * so that the alarm can complete an interrupted update (`docs/decisions/0045`).
 */
export class SubscriptionOutbox extends StateOutbox {
  readonly #options: SubscriptionOutboxOptions
  #mustResend = false

  constructor(options: SubscriptionOutboxOptions) {
    super(options)
    this.#options = options
  }

  /** @throws {Error} if the update is still pending afterwards */
  async flushOrThrow(): Promise<void> {
    await this.flush()
    if (this.isPending()) throw new Error('the update of the chain watcher is still pending')
  }

  /** Sends the subscription again, in case the chain watcher has lost it. */
  resend(): Promise<void> {
    this.#mustResend = true
    return this.flush()
  }

  protected override recordFailure(reason: string, failures: number): void {
    this.#options.log('watch.failed', { reason, failures })
  }

  protected override isPending(): boolean {
    const { row, watch } = this.#options.state
    return watch !== undefined && (this.#mustResend || row?.watchStale === true)
  }

  protected override async deliver(): Promise<void> {
    const { state, subscription, watcher } = this.#options
    const { triggerId, version } = state.row!
    const { chain, left } = state.watch!
    this.#mustResend = false
    for (const former of left) await this.callReceiver(watcher(former).unwatch(triggerId, version))
    const wanted = subscription()
    const call = wanted ? watcher(chain).watch(wanted) : watcher(chain).unwatch(triggerId, version)
    await this.callReceiver(call)
    state.markWatcherUpdated(version)
  }
}
