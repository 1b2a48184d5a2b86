import type { Subscription } from '../subscription.ts'
import { fallBehind } from './finality-marks.ts'
import type { Watched } from './subscriptions.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Takes what a trigger wants now. The same again changes nothing, and an older version neither. Another generation begins
 * its lanes anew; what its runs are owed of reorganisations stays.
 * @returns whether something has changed
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
    // What was looked through, or is being told to those in step, goes without him.
    const isOwed = since <= (state.marks.reaching(mark) ?? -1)
    if (isOwed || (coveredFrom !== undefined && since < coveredFrom))
      fallBehind(state, watched, since)
  })
  return true
}

/** Ends a subscription, as of a version. With the last one goes what was kept for it. */
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

/** Whose finality changes goes on where he was: before a deeper mark he waits for it, behind another he catches up. */
function keepPlace(state: WatchState, watched: Watched, mark: string): void {
  const { marks } = state
  if (mark === watched.mark || watched.live) return
  const told = marks.of(watched.mark)
  if (told === undefined || (told === marks.reaching(mark) && told === marks.of(mark))) return
  fallBehind(state, watched, Math.max(told + 1, watched.since))
}
