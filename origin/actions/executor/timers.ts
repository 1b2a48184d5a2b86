import type { TimerHandle, TimeSource } from './time-source.ts'

/** Maximum delay of Node's timers. A timer with a longer delay would fire immediately. */
const DELAY_MAX_MS = 2 ** 31 - 1

/** The callbacks stay in the guest, which also limits their number. */
export class Timers {
  readonly #live = new Map<number, TimerHandle>()
  readonly #fire: (id: number) => void
  readonly #time: TimeSource

  constructor(fire: (id: number) => void, time: TimeSource) {
    this.#fire = fire
    this.#time = time
  }

  get count(): number {
    return this.#live.size
  }

  set(id: number, ms: number): void {
    const wake = () => {
      this.#live.delete(id)
      this.#fire(id)
    }
    this.#live.set(id, this.#time.setTimeout(wake, Math.min(ms, DELAY_MAX_MS)))
  }

  delete(id: number): void {
    this.#time.clearTimeout(this.#live.get(id))
    this.#live.delete(id)
  }

  clear(): void {
    for (const timer of this.#live.values()) this.#time.clearTimeout(timer)
    this.#live.clear()
  }
}
