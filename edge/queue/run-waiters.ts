/**
 * Long-polling clients that wait for a run to finish (`?wait=`). Kept only in memory: if the object restarts, the
 * clients lose their connections and poll again.
 */
export class RunWaiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** The number of waiting clients. */
  get size(): number {
    let size = 0
    for (const waiting of this.#waiting.values()) size += waiting.size
    return size
  }

  /**
   * Resolves when the run finishes, when `closed` is called, or after this time.
   * @param suffix the run ID without the trigger ID
   */
  async wait(suffix: string, ms: number): Promise<void> {
    const waiting = this.#waiting.get(suffix) ?? new Set()
    this.#waiting.set(suffix, waiting)
    await new Promise<void>((ready) => {
      const wake = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(suffix) === waiting)
          this.#waiting.delete(suffix)
        ready()
      }
      const timer = setTimeout(wake, ms)
      waiting.add(wake)
    })
  }

  /** Wakes the clients that wait for this run. */
  ended(suffix: string): void {
    // Each call removes its own entry from the set. The iteration still reaches the others.
    for (const wake of this.#waiting.get(suffix) ?? []) wake()
  }

  /** Wakes all clients, because the trigger and its runs were deleted. */
  closed(): void {
    for (const suffix of this.#waiting.keys()) this.ended(suffix)
  }
}
