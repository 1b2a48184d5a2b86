/** Maximum delay of Node's timers. A timer with a longer delay would fire immediately. */
const DELAY_MAX_MS = 2 ** 31 - 1

/** The callbacks stay in the guest, which also limits their number. */
export class Timers {
  readonly #live = new Map<number, NodeJS.Timeout>()
  readonly #fire: (id: number) => void

  constructor(fire: (id: number) => void) {
    this.#fire = fire
  }

  get count(): number {
    return this.#live.size
  }

  set(id: number, ms: number): void {
    const wake = () => {
      this.#live.delete(id)
      this.#fire(id)
    }
    this.#live.set(id, setTimeout(wake, Math.min(ms, DELAY_MAX_MS)))
  }

  delete(id: number): void {
    clearTimeout(this.#live.get(id))
    this.#live.delete(id)
  }

  clear(): void {
    for (const timer of this.#live.values()) clearTimeout(timer)
    this.#live.clear()
  }
}
