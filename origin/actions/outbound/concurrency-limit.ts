/** Semaphore. Callers above the concurrency limit wait in order of arrival. */
export class ConcurrencyLimit {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /**
   * Resolves when the caller may proceed, or rejects with the signal's reason. The caller must call `done` when it has
   * finished.
   */
  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(signal.reason as Error)
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      this.#waiting.push(begin)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
