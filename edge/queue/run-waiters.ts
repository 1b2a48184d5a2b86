/**
 * Long polling (`?wait=`), in memory only. If the object restarts, the clients lose their connections and poll again.
 */
export class RunWaiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  get size(): number {
    let size = 0
    for (const waiting of this.#waiting.values()) size += waiting.size
    return size
  }

  /**
   * Resolves when the run finishes, when `closed` is called, or after `ms` milliseconds.
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

  /** @param suffix the run ID without the trigger ID */
  ended(suffix: string): void {
    // Each `wake` removes itself from the set. The iteration still reaches the remaining entries.
    for (const wake of this.#waiting.get(suffix) ?? []) wake()
  }

  /** The trigger and its runs were deleted. */
  closed(): void {
    for (const suffix of this.#waiting.keys()) this.ended(suffix)
  }
}
