import type { BlockHeader } from '../block-header.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Rolls back to a block, in one transaction. Stored blocks above it are no longer in the chain. Watermarks and cursors
 * above it are reset, and triggers that may have received logs of removed blocks get a notice.
 * @param ancestor the highest block that is still in the chain; below all stored blocks if the chain is a different one
 * @param other for a different chain: its head, from which triggers continue that waited for later blocks of the old
 *   chain, and its blocks up to `ancestor`, without logs
 */
export function goBack(
  state: WatchState,
  ancestor: number,
  other?: { head: number; below: readonly BlockHeader[] },
): void {
  const { kept, marks, notices, subscriptions } = state
  const next = ancestor + 1
  const wasNext = (kept.through ?? ancestor) + 1
  state.transaction(() => {
    kept.rollBack(ancestor)
    if (other) kept.extend(other.below, [])
    marks.rollBack(ancestor)
    notices.takeBack(ancestor)
    for (const watched of subscriptions.all()) {
      const { coveredFrom } = watched
      // Logs of all blocks above are requested again, for all subscriptions.
      if (coveredFrom !== undefined && (other ? coveredFrom !== next : coveredFrom > next))
        subscriptions.setCoveredFrom(watched, next)
      if (other && watched.since > other.head + 1 && watched.since <= wasNext)
        subscriptions.setSince(watched, other.head + 1)
      for (const lane of [watched.live, watched.backfill]) {
        // Never before the cursor's first block.
        const from = Math.max(next, lane?.range?.from ?? watched.since)
        if (lane?.goBack(from)) subscriptions.put(watched, lane)
      }
    }
  })
  state.lookingThrough = ancestor
}
