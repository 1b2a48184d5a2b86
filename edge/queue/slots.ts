/** A fixed number of places; who finds none waits in line. */
export class Slots {
  #free: number
  readonly #line: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  get free(): number {
    return this.#free
  }

  /** Not async: who waited would go on a step later than who finds a place after it, and so behind it. */
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
