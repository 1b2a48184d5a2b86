/** A simulated clock that advances only on request. */
export class Clock {
  /** Unix milliseconds. */
  time = 1_800_000_000_000
  #timers: { at: number; ring: () => void }[] = []

  readonly now = (): number => this.time

  /** Resolves after this time, or when the signal is aborted. */
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

  /** Advances the clock, and wakes all sleepers that are due, in order. */
  pass(ms: number): void {
    const until = this.time + ms
    for (;;) {
      const next = this.#next()
      if (!next || next.at > until) break
      this.#ring(next)
    }
    this.time = until
  }

  /** Advances the clock to the next sleeper that is due. @returns false if there are no sleepers */
  wakeNext(): boolean {
    const next = this.#next()
    if (next) this.#ring(next)
    return next !== undefined
  }

  /** Drops all sleepers, because their process was killed. */
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
