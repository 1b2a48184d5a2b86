/**
 * Captures the calls of triggers to the watcher of their chain. Trigger objects call the real binding; the calls are
 * recorded here for the simulated watcher.
 */
import { vi } from 'vitest'
import type { Subscription } from '../../../../edge/chain/subscription.ts'
import { ChainWatcher } from '../../../../edge/chain/watch/chain-watcher.ts'

export type WatcherCall =
  | { ask: 'watch'; subscription: Subscription }
  | { ask: 'unwatch'; triggerId: string; version: number }
  | { ask: 'roomFor'; triggerId: string }

export class WatcherCalls {
  /** The head that the watcher reports. */
  head = 0
  #waiting: WatcherCall[] = []
  readonly #spies: { mockRestore(): void }[]

  constructor() {
    const { prototype } = ChainWatcher
    this.#spies = [
      vi
        .spyOn(prototype, 'head')
        .mockImplementation(async () => ({ state: 'known', head: this.head })),
      vi.spyOn(prototype, 'watch').mockImplementation(async (subscription) => {
        this.#waiting.push({ ask: 'watch', subscription })
      }),
      vi.spyOn(prototype, 'unwatch').mockImplementation(async (triggerId, version) => {
        this.#waiting.push({ ask: 'unwatch', triggerId, version })
      }),
      vi.spyOn(prototype, 'roomFor').mockImplementation(async (triggerId) => {
        this.#waiting.push({ ask: 'roomFor', triggerId })
      }),
    ]
  }

  /** Returns the calls since the last `take`, in order. */
  take(): WatcherCall[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  restore(): void {
    for (const spy of this.#spies) spy.mockRestore()
  }
}
