/**
 * What triggers ask of the watcher of their chain. Their objects call the real binding; the calls of triggers of the
 * simulation are kept here instead, for its own watcher.
 */
import { vi } from 'vitest'
import type { Subscription } from '../../../../edge/chain/subscription.ts'
import { ChainWatcher } from '../../../../edge/chain/watch/chain-watcher.ts'

export type WatcherCall =
  | { ask: 'watch'; subscription: Subscription }
  | { ask: 'unwatch'; triggerId: string; version: number }
  | { ask: 'roomFor'; triggerId: string }

export class WatcherCalls {
  /** What the watcher says that the head is. */
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

  /** Those that have come since, in their order. */
  take(): WatcherCall[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  restore(): void {
    for (const spy of this.#spies) spy.mockRestore()
  }
}
