/** Repeats a task at an interval, and immediately on request. Runs never overlap. */
export class PeriodicTask {
  readonly #task: () => Promise<void>
  readonly #intervalMs: () => number
  #running: Promise<void> | undefined
  #closed = false
  #runAgain = false
  #wake = () => {}

  /**
   * @param intervalMs if a function, called after each run
   * @param task must not throw
   */
  constructor(intervalMs: number | (() => number), task: () => Promise<void>) {
    this.#intervalMs = typeof intervalMs === 'number' ? () => intervalMs : intervalMs
    this.#task = task
  }

  start(): void {
    this.#running ??= this.#run()
  }

  runNow(): void {
    this.#runAgain = true
    this.#wake()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#runAgain = false
      await this.#task()
      if (this.#closed || this.#runAgain) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#intervalMs())
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
