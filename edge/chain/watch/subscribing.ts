import type { Subscription } from '../subscription.ts'
import { fallBehind } from './finality-marks.ts'
import type { Watched } from './subscriptions.ts'
import type { WatchState } from './watch-state.ts'

/**
 * A repeated or older version changes nothing. A new generation resets the cursors, but pending reorg notices stay
 * pending.
 * @returns true if something changed
 */
export function subscribe(state: WatchState, subscription: Subscription): boolean {
  const { subscriptions } = state
  const { triggerId, version, generation, finality } = subscription
  const known = subscriptions.get(triggerId)
  const isOlder = version < (subscriptions.versionOf(triggerId) ?? version)
  if (isOlder || (known && generation < known.generation)) return false
  if (known?.generation === generation) {
    if (known.version === version) return false
    state.transaction(() => {
      keepPlace(state, known, JSON.stringify(finality))
      subscriptions.change(known, version, finality)
    })
    return true
  }
  state.transaction(() => {
    const watched = subscriptions.begin(subscription, state.nextCovered)
    const { since, coveredFrom, mark } = watched
    // Blocks that were already searched, or are being delivered now, do not include the new subscription.
    const isOwed = since <= (state.marks.reaching(mark) ?? -1)
    if (isOwed || (coveredFrom !== undefined && since < coveredFrom))
      fallBehind(state, watched, since)
  })
  return true
}

/** If no other subscriptions are left, the stored blocks are deleted. */
export function unsubscribe(
  state: WatchState,
  triggerId: string,
  version: number,
  now: number,
): void {
  const { subscriptions } = state
  if (version < (subscriptions.versionOf(triggerId) ?? version)) return
  state.transaction(() => {
    subscriptions.end(triggerId, version, now)
    if (subscriptions.size === 0) state.forgetChain()
  })
}

/**
 * Keeps the position when the finality changes. The live cursor waits for a lower watermark, or catches up with a
 * higher one.
 */
function keepPlace(state: WatchState, watched: Watched, mark: string): void {
  const { marks } = state
  if (mark === watched.mark || watched.live) return
  const told = marks.of(watched.mark)
  if (told === undefined || (told === marks.reaching(mark) && told === marks.of(mark))) return
  fallBehind(state, watched, Math.max(told + 1, watched.since))
}
