/**
 * Long polling (`?wait=`) for finished runs. The waiting callers are stored in memory only. If the object restarts, the
 * clients lose their connections and poll again.
 */
export class RunWaiters {
  readonly #waiters = new Map<string, Set<() => void>>()

  get size(): number {
    let size = 0
    for (const waiting of this.#waiters.values()) size += waiting.size
    return size
  }

  /** @param suffix the run ID without the trigger ID */
  async wait(suffix: string, ms: number): Promise<void> {
    const waiting = this.#waiters.get(suffix) ?? new Set()
    this.#waiters.set(suffix, waiting)
    await new Promise<void>((ready) => {
      const wake = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiters.get(suffix) === waiting)
          this.#waiters.delete(suffix)
        ready()
      }
      const timer = setTimeout(wake, ms)
      waiting.add(wake)
    })
  }

  notify(suffix: string): void {
    // Each `wake` removes itself from the set, but the iteration still reaches the remaining entries.
    for (const wake of this.#waiters.get(suffix) ?? []) wake()
  }

  /** Called when the trigger and its runs have been deleted. */
  notifyAll(): void {
    for (const suffix of this.#waiters.keys()) this.notify(suffix)
  }
}
