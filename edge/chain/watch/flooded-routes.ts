import { isEndPast } from '../../deadline.ts'

/** Logs of a rejected block are requested again, because another plan or provider may return them. */
const RETRY_MS = 60_000

/**
 * Filter groups with more logs in one block than any endpoint returns. Their triggers wait at that block, each with its
 * own cursor, so that they miss no logs and do not delay others.
 */
export class FloodedRoutes {
  readonly #until = new Map<string, number>()

  /** True if a filter group was rejected too recently to be requested again. */
  has(route: string, now: number): boolean {
    const until = this.#until.get(route)
    if (until !== undefined && isEndPast(until, RETRY_MS, now)) this.#until.delete(route)
    return this.#until.has(route)
  }

  add(route: string, now: number): void {
    this.#until.set(route, now + RETRY_MS)
  }
}
