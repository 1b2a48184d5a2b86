/**
 * One incarnation of the watcher's process. All of its calls to the outside go through this class, so that it can be
 * killed at any await: before a call arrives, or after it arrived and before the response is returned. A killed
 * incarnation never resumes.
 */
export class Life {
  #isOver = false
  #end!: () => void
  readonly #killed: Promise<void>
  /** Awaits left until it is killed. */
  #left = Number.POSITIVE_INFINITY
  readonly #underWay = new Set<Promise<unknown>>()

  constructor() {
    this.#killed = new Promise((end) => (this.#end = end))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Kills it at the given await, counted from now. */
  killAfter(awaits: number): void {
    this.#left = awaits
  }

  kill(): void {
    this.#isOver = true
    this.#end()
  }

  /** Wraps a function so that calls to it stop when this incarnation is killed. */
  lived<Args extends unknown[], Answer>(
    ask: (...args: Args) => Promise<Answer>,
  ): (...args: Args) => Promise<Answer> {
    return async (...args) => {
      if (this.#passes()) return silence()
      const asked = ask(...args)
      const settled = asked.catch(() => undefined)
      this.#underWay.add(settled)
      try {
        return await asked
      } finally {
        this.#underWay.delete(settled)
        if (this.#passes()) await silence()
      }
    }
  }

  /**
   * Runs one step until the step finishes or this incarnation is killed.
   * @param wake advances the clock to the next sleeper; returns false if there are none
   * @throws {Error} if the step waits and nothing can wake it
   */
  async through(step: () => Promise<unknown>, wake: () => boolean): Promise<void> {
    let hasEnded = false
    const ended = step().finally(() => (hasEnded = true))
    const isOver = () => hasEnded || this.#isOver
    while (!isOver()) {
      await Promise.race([ended, this.#killed, this.#quiet(isOver)])
      if (!isOver() && !wake()) throw new Error('it waits for something that never comes')
    }
    if (!this.#isOver) return ended.then(() => undefined)
    // Calls in flight still arrive, so that the next incarnation finds their effects in every replay of the seed.
    ended.catch(() => {})
    await Promise.all(this.#underWay)
  }

  /** Resolves when no calls are in flight. */
  async #quiet(isOver: () => boolean): Promise<void> {
    for (;;) {
      await macrotask()
      if (isOver()) return
      if (this.#underWay.size === 0) return
      await Promise.race(this.#underWay)
    }
  }

  /** Waits for background work that does not depend on the clock. */
  async settle(): Promise<void> {
    await Promise.race([this.#killed, this.#quiet(() => this.#isOver)])
    if (this.#isOver) await Promise.all(this.#underWay)
  }

  /** @returns true if this incarnation is over */
  #passes(): boolean {
    if (!this.#isOver && --this.#left < 0) this.kill()
    return this.#isOver
  }
}

function silence(): Promise<never> {
  return new Promise(() => {})
}

function macrotask(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0))
}
