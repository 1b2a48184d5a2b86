import type { Subscription } from '../subscription.ts'
import { startLiveCursor } from './finality-watermarks.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Starts or updates a subscription. A repeated or older version changes nothing. A new generation resets the cursors,
 * but pending reorg notices stay pending.
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
      keepPosition(state, known, JSON.stringify(finality))
      subscriptions.update(known, version, finality)
    })
    return true
  }
  state.transaction(() => {
    const watched = subscriptions.start(subscription, state.nextCovered)
    const { since, coveredFrom, watermarkKey } = watched
    // Blocks that were already searched or are being delivered do not include logs for the new subscription.
    const isAlreadyDelivered = since <= (state.watermarks.target(watermarkKey) ?? -1)
    // A factory's contracts have to be learned first.
    if (watched.learningAt !== undefined) startLiveCursor(state, watched, since)
    else if (isAlreadyDelivered || (coveredFrom !== undefined && since < coveredFrom))
      startLiveCursor(state, watched, since)
  })
  return true
}

/** If it was the last subscription, the stored blocks are deleted. */
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
    if (subscriptions.size === 0) state.clear()
  })
}

/**
 * Preserves the position of a trigger when its finality changes. The live cursor waits for a lower watermark, or
 * catches up with a higher one.
 */
function keepPosition(state: WatchState, watched: ActiveSubscription, key: string): void {
  const { watermarks } = state
  if (key === watched.watermarkKey || watched.live) return
  const delivered = watermarks.get(watched.watermarkKey)
  if (
    delivered === undefined ||
    (delivered === watermarks.target(key) && delivered === watermarks.get(key))
  )
    return
  startLiveCursor(state, watched, Math.max(delivered + 1, watched.since))
}
