/** Repeats one task at an interval, one run at a time, and immediately on request. */
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

  /** Starts the next round now, or directly after the current one. */
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
