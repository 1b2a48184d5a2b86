import { BLOCKS_RETAINED, BLOCKS_RETAINED_MAX } from '../../../shared/limits.ts'
import { leaveWatermark } from './finality-watermarks.ts'
import type { WatchState } from './watch-state.ts'

/** Minimum number of blocks to delete at once. Most polls therefore delete nothing. */
const PRUNED_BLOCKS_MIN = 32

/**
 * Deletes stored blocks that no reorganization or watermark needs. All blocks below the remaining ones can no longer be
 * reorganized.
 */
export function prune(state: WatchState): void {
  const { unfinalized, watermarks, subscriptions, notices } = state
  if (unfinalized.isEmpty || unfinalized.through === undefined) return
  const { through } = unfinalized
  const inUse = new Set([...subscriptions.all()].map(({ watermarkKey }) => watermarkKey))
  const stale = [...watermarks.entries()].filter(([mark]) => !inUse.has(mark))
  if (stale.length > 0) state.transaction(() => watermarks.keepOnly(inUse))
  const wanted = Math.min(through - BLOCKS_RETAINED, watermarks.lowest() ?? through)
  const keepFrom = Math.max(wanted, through - BLOCKS_RETAINED_MAX + 1)
  if (keepFrom < unfinalized.first + PRUNED_BLOCKS_MIN) return
  state.transaction(() => {
    // A watermark below the deleted blocks has not advanced for a long time. Its triggers get their own cursors, and
    // read the deleted blocks when the watermark advances.
    for (const [mark, block] of watermarks.entries())
      if (block < keepFrom - 1) leaveWatermark(state, mark)
    unfinalized.prune(keepFrom)
    notices.prune(keepFrom)
  })
}
