/**
 * Who waits for a run's end (`decisions.md`, Runs list: `?wait=`). In memory alone: an object that begins again has
 * nobody waiting, and who asked it asks again.
 */
export class RunWaiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** How many wait. */
  get size(): number {
    let size = 0
    for (const waiting of this.#waiting.values()) size += waiting.size
    return size
  }

  /** Returns when the run has ended, when `closed` was called, or after this time. @param suffix of the run's id */
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

  /** A run has ended. */
  ended(suffix: string): void {
    // Each takes itself out of the set: what is not reached yet stays to be reached.
    for (const wake of this.#waiting.get(suffix) ?? []) wake()
  }

  /** The trigger is gone, and its runs with it. */
  closed(): void {
    for (const suffix of this.#waiting.keys()) this.ended(suffix)
  }
}
