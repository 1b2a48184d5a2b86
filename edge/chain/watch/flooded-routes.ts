import { fallBehind } from './finality-marks.ts'
import type { WatchState } from './watch-state.ts'

/** A rejected block is requested again after this time, because another plan or provider may return it. */
const AGAIN_MS = 60_000

/**
 * Routes with more logs in one block than any endpoint returns. Their triggers wait there, each with its own cursor, so
 * that they miss no logs and other triggers do not wait.
 */
export class FloodedRoutes {
  readonly #until = new Map<string, number>()

  /** Returns true if the route was rejected too recently to be requested again. */
  has(route: string, now: number): boolean {
    const until = this.#until.get(route)
    if (until !== undefined && (now >= until || now < until - AGAIN_MS)) this.#until.delete(route)
    return this.#until.has(route)
  }

  add(route: string, now: number): void {
    this.#until.set(route, now + AGAIN_MS)
  }
}

/**
 * Makes the triggers of rejected routes wait. Must be called in the transaction that stores the searched blocks.
 * @param refused routes, with the last block for which the stored logs may be incomplete
 * @returns number of triggers that wait
 */
export function waitForRefused(
  state: WatchState,
  refused: ReadonlyMap<string, number>,
  now: number,
): number {
  const { subscriptions, marks, flooded } = state
  let waiting = 0
  for (const [route, block] of refused) {
    flooded.add(route, now)
    for (const watched of subscriptions.ofRoute(route)) {
      subscriptions.setCoveredFrom(watched, Math.max(block + 1, watched.coveredFrom ?? 0))
      if (watched.since > block) continue
      waiting++
      const told = marks.of(watched.mark) ?? -1
      if (!watched.live) fallBehind(state, watched, Math.max(told + 1, watched.since))
    }
  }
  return waiting
}
