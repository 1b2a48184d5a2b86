import type { BlockHeader } from '../block-header.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Goes back to a block: what was kept above it is no longer of the chain. Marks and lanes above it are told anew from
 * there, and whoever may have been told of a block that is gone is owed a notice. In one transaction.
 * @param ancestor the highest block that is still the chain's; below all that is kept where the chain is another one
 * @param other of a chain that is another one: its head, since who waits for blocks that were next on the old one waits for
 *   those that are next on this one; and its blocks up to `ancestor`, nobody's logs among them
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
      // All above is asked for again, for everybody.
      if (coveredFrom !== undefined && (other ? coveredFrom !== next : coveredFrom > next))
        subscriptions.setCoveredFrom(watched, next)
      if (other && watched.since > other.head + 1 && watched.since <= wasNext)
        subscriptions.setSince(watched, other.head + 1)
      for (const lane of [watched.live, watched.backfill]) {
        // Never below where it began: what is before that is not owed to it.
        const from = Math.max(next, lane?.range?.from ?? watched.since)
        if (lane?.goBack(from)) subscriptions.put(watched, lane)
      }
    }
  })
  state.lookingThrough = ancestor
}
