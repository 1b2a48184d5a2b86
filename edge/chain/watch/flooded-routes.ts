import { isEndPast } from '../../deadline.ts'

/** Time until the logs of a rejected block are requested again. Another plan or provider may return them. */
const RETRY_MS = 60_000

/**
 * Filter groups with more logs in one block than any endpoint returns. Their triggers wait at that block with their own
 * cursors, so that they miss no logs and do not delay other triggers.
 */
export class FloodedRoutes {
  readonly #until = new Map<string, number>()

  has(route: string, now: number): boolean {
    const until = this.#until.get(route)
    if (until !== undefined && isEndPast(until, RETRY_MS, now)) this.#until.delete(route)
    return this.#until.has(route)
  }

  add(route: string, now: number): void {
    this.#until.set(route, now + RETRY_MS)
  }
}
