import { fallBehind } from './finality-marks.ts'
import type { WatchState } from './watch-state.ts'

/** A block that was refused is asked for again after this: another plan, or another provider, may give it. */
const AGAIN_MS = 60_000

/**
 * Events of which a block has more than anybody gives. Their triggers wait there, each by itself: nothing is left out for
 * them, and nobody else waits.
 */
export class FloodedRoutes {
  readonly #until = new Map<string, number>()

  /** Whether it was refused so short a time ago that it is not asked for now. */
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
 * After blocks were looked through. In their transaction.
 * @param refused routes, with the last block of which there may be more logs than are kept
 * @returns how many triggers wait
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
