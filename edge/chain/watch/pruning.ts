import { BLOCKS_KEPT, BLOCKS_KEPT_MAX } from '../../../shared/limits.ts'
import { leaveMark } from './finality-marks.ts'
import type { WatchState } from './watch-state.ts'

/** Minimum number of blocks to delete, so that most polls delete nothing. */
const TOGETHER = 32

/** Deletes stored blocks that no reorganization or watermark needs. All blocks below the remaining ones are settled. */
export function prune(state: WatchState): void {
  const { kept, marks, subscriptions, notices } = state
  if (kept.isEmpty || kept.through === undefined) return
  const { through } = kept
  const inUse = new Set([...subscriptions.all()].map(({ mark }) => mark))
  const stale = [...marks.entries()].filter(([mark]) => !inUse.has(mark))
  if (stale.length > 0) state.transaction(() => marks.keepOnly(inUse))
  const wanted = Math.min(through - BLOCKS_KEPT, marks.lowest() ?? through)
  const keepFrom = Math.max(wanted, through - BLOCKS_KEPT_MAX + 1)
  if (keepFrom < kept.first + TOGETHER) return
  state.transaction(() => {
    // A watermark below the deleted blocks has not advanced for a long time. Its triggers get their own cursors, and
    // read the deleted blocks once the watermark advances.
    for (const [mark, block] of marks.entries()) if (block < keepFrom - 1) leaveMark(state, mark)
    kept.prune(keepFrom)
    notices.settle(keepFrom)
  })
}
