import type { EnvironmentName } from '../../shared/config/environments.ts'
import { undefinedAfter } from '../timeout.ts'

/**
 * Default time in which work in flight may end, in milliseconds. A local stack stops immediately, because its developer
 * waits for it.
 */
export const DRAIN_DEFAULT_MS: Record<EnvironmentName, number> = {
  local: 0,
  staging: 60_000,
  production: 60_000,
}

/** Thrown for new work while the process drains. The refused work had no effect. */
export class DrainingError extends Error {
  override readonly name = 'DrainingError'
}

/** Refuses new work before the process exits, and keeps track of the work in flight (docs/decisions/0086). */
export class Drain {
  readonly #inFlight = new Set<Promise<unknown>>()
  #isDraining = false
  #isOver = false

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** True if no further results are expected from this process, so long polls should be answered. */
  get isOver(): boolean {
    return this.#isOver
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** @throws {DrainingError} */
  requireOpen(): void {
    if (this.#isDraining) throw new DrainingError()
  }

  /** Registers work that must end before the process exits. */
  async track<Result>(work: Promise<Result>): Promise<Result> {
    this.#inFlight.add(work)
    try {
      return await work
    } finally {
      this.#inFlight.delete(work)
    }
  }

  begin(): void {
    this.#isDraining = true
  }

  end(): void {
    this.#isOver = true
  }

  /**
   * Waits until no work is in flight, including work that is registered in the meantime. Never rejects.
   * @returns the number of tasks that are still in flight after `ms`
   */
  async wait(ms: number): Promise<number> {
    const until = performance.now() + ms
    for (let left = ms; this.#inFlight.size > 0 && left > 0; left = until - performance.now())
      await undefinedAfter(left, Promise.allSettled(this.#inFlight))
    return this.#inFlight.size
  }
}
