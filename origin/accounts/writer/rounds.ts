/** Does one thing again and again, one at a time, and at once when it is told to. */
export class Rounds {
  readonly #round: () => Promise<void>
  readonly #everyMs: number
  #running: Promise<void> | undefined
  #closed = false
  #again = false
  #wake = () => {}

  /** @param round must not throw */
  constructor(everyMs: number, round: () => Promise<void>) {
    this.#everyMs = everyMs
    this.#round = round
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** The next round begins now, or as soon as the one that is under way has ended. */
  hurry(): void {
    this.#again = true
    this.#wake()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#again = false
      await this.#round()
      if (this.#closed || this.#again) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#everyMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
