/**
 * One life of the watcher's process. What it asks of the world goes through here, so that it can be killed at any
 * await: before its question is heard, or after it was heard and before the answer came. A dead one never goes on.
 */
export class Life {
  #isOver = false
  #end!: () => void
  readonly #killed: Promise<void>
  /** So many awaits it has left. */
  #left = Number.POSITIVE_INFINITY
  readonly #underWay = new Set<Promise<unknown>>()

  constructor() {
    this.#killed = new Promise((end) => (this.#end = end))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** It ends at the await of this number from now. */
  killAfter(awaits: number): void {
    this.#left = awaits
  }

  kill(): void {
    this.#isOver = true
    this.#end()
  }

  /** The same, as this life sees it. */
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
   * Runs a step of it, until that has ended or this life has.
   * @param wake lets time go on to whoever sleeps the least; false where nobody does
   * @throws {Error} for a step that waits for nothing
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
    // What is on its way to others arrives: the next life finds it there, in every replay of the seed.
    ended.catch(() => {})
    await Promise.all(this.#underWay)
  }

  /** Until it asks nothing of anybody. */
  async #quiet(isOver: () => boolean): Promise<void> {
    for (;;) {
      await macrotask()
      if (isOver()) return
      if (this.#underWay.size === 0) return
      await Promise.race(this.#underWay)
    }
  }

  /** What goes on by itself ends, as far as it does not wait for time. */
  async settle(): Promise<void> {
    await Promise.race([this.#killed, this.#quiet(() => this.#isOver)])
    if (this.#isOver) await Promise.all(this.#underWay)
  }

  /** @returns whether it is over */
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
