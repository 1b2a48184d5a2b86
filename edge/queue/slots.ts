/** A semaphore with a first-in, first-out wait queue. */
export class Slots {
  #free: number
  readonly #line: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  get free(): number {
    return this.#free
  }

  /** Not async, because the extra microtask would let a later caller overtake a waiting one. */
  take(): Promise<void> {
    if (this.#free === 0) return new Promise((ready) => this.#line.push(ready))
    this.#free--
    return Promise.resolve()
  }

  give(): void {
    const next = this.#line.shift()
    if (next) next()
    else this.#free++
  }
}
