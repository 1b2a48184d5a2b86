/** Repeats a task at a fixed interval, and immediately on request. Runs never overlap. */
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

  /** Runs the next round immediately, or directly after the current one. */
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
