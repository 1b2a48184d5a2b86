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

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((ready) => this.#line.push(ready))
  }

  give(): void {
    const next = this.#line.shift()
    if (next) next()
    else this.#free++
  }
}
