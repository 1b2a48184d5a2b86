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

  /**
   * Waits for a permit. The method is not async, because the extra microtask would let a later caller overtake a
   * waiting one.
   * @param signal ends the wait. The promise is then rejected with the signal's reason
   */
  acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(begin), 1)
        reject(signal?.reason as Error)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      this.#queue.push(begin)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  release(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#free++
  }
}
