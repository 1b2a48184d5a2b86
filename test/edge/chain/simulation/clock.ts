/** Time that passes only when the simulation says so. */
export class Clock {
  /** Unix milliseconds. */
  time = 1_800_000_000_000
  #timers: { at: number; ring: () => void }[] = []

  readonly now = (): number => this.time

  /** Returns after this time, or once nobody waits for it any more. */
  readonly sleep = (ms: number, ended?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (ended?.aborted) return resolve()
      const timer = { at: this.time + ms, ring: resolve }
      this.#timers.push(timer)
      ended?.addEventListener('abort', () => {
        this.#timers = this.#timers.filter((other) => other !== timer)
        resolve()
      })
    })

  /** Whoever sleeps less long is awake then, in the order of their times. */
  pass(ms: number): void {
    const until = this.time + ms
    for (;;) {
      const next = this.#next()
      if (!next || next.at > until) break
      this.#ring(next)
    }
    this.time = until
  }

  /** Time goes on to whoever sleeps the least. @returns false where nobody sleeps */
  wakeNext(): boolean {
    const next = this.#next()
    if (next) this.#ring(next)
    return next !== undefined
  }

  /** Those who sleep never wake: their process was killed. */
  forget(): void {
    this.#timers = []
  }

  #next() {
    return this.#timers.toSorted((one, other) => one.at - other.at)[0]
  }

  #ring(timer: { at: number; ring: () => void }): void {
    this.#timers = this.#timers.filter((other) => other !== timer)
    this.time = Math.max(this.time, timer.at)
    timer.ring()
  }
}
