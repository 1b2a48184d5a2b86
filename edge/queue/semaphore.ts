/** A semaphore with a first-in, first-out wait queue. */
export class Semaphore {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(permits: number) {
    this.#free = permits
  }

  get free(): number {
    return this.#free
  }

  /** Not async, because the extra microtask would let a later caller overtake a waiting one. */
  acquire(): Promise<void> {
    if (this.#free === 0) return new Promise((ready) => this.#queue.push(ready))
    this.#free--
    return Promise.resolve()
  }

  release(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#free++
  }
}
