import type { BlockHeader } from '../../../shared/rpc/block-header.ts'
import { leaveCaughtUp } from './finality-watermarks.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Rolls back to the common ancestor, and creates reorg notices for triggers that may have received logs of deleted
 * blocks.
 * @param ancestor highest block that is still in the chain; below all stored blocks if the endpoints now serve a
 *   different chain
 * @param replacement the new chain, if the endpoints now serve a different one: its head, and its blocks up to
 *   `ancestor`, without logs. Triggers that waited for later blocks of the old chain continue after the new head, and
 *   factory contracts are learned again.
 */
export function rollBackChain(
  state: WatchState,
  ancestor: number,
  replacement?: { head: number; below: readonly BlockHeader[] },
): void {
  const { unfinalized, watermarks, notices, subscriptions } = state
  const next = ancestor + 1
  const wasNext = (unfinalized.through ?? ancestor) + 1
  state.transaction(() => {
    unfinalized.rollBack(ancestor)
    if (replacement) unfinalized.extend(replacement.below, [])
    watermarks.rollBack(ancestor)
    notices.createForReorg(ancestor)
    subscriptions.forgetAbove(ancestor, wasNext - 1)
    for (const watched of subscriptions.all()) {
      const coveredFrom = watched.learningAt === undefined ? watched.coveredFrom : undefined
      // Logs of all blocks above the ancestor must be requested again, for all subscriptions.
      if (coveredFrom !== undefined && (replacement ? coveredFrom !== next : coveredFrom > next))
        subscriptions.setCoveredFrom(watched, next)
      if (replacement && watched.since > replacement.head + 1 && watched.since <= wasNext)
        subscriptions.setSince(watched, replacement.head + 1)
      if (replacement && watched.learnFrom !== undefined) {
        const isAhead = watched.learnFrom > replacement.head + 1 && watched.learnFrom <= wasNext
        leaveCaughtUp(state, watched)
        subscriptions.learnAgain(watched, isAhead ? replacement.head + 1 : watched.learnFrom)
      }
      for (const cursor of [watched.live, watched.backfill]) {
        // A cursor is never reset to a block before its first block.
        const from = Math.max(next, cursor?.range?.from ?? watched.since)
        if (cursor?.rollBack(from)) subscriptions.putCursor(watched, cursor)
      }
    }
  })
  state.searchingThrough = ancestor
}
