import type { ChainLog, LogPosition } from '../chain-log.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { CursorKind } from '../subscription.ts'

/**
 * Range of old blocks that a cursor still needs and that the watcher no longer stores. The cursor is a backfill, or a
 * live cursor that lags because the trigger's queue was full.
 */
export type BackfillRange = {
  triggerId: string
  generation: number
  lane: CursorKind
  filter: LogFilter
  next: LogPosition
  /** Last block of the range; final for the trigger. */
  to: number
}

export interface BackfillSource {
  /**
   * Block ranges that can be read now. If a trigger queue is full, its range becomes due again when there may be room,
   * and the backfill is then notified.
   */
  due(): BackfillRange[]
  /**
   * Also stores the new position of the cursor.
   * @param range `next` is the current position of the cursor
   * @param logs all matching logs from `range.next` to `through`, in order: about 1,000, or all logs of one block
   * @returns `taken`: the cursor continues after `through`. `full`: the trigger queue is full, and a later `due`
   *   returns the position from which to continue. `over`: the cursor no longer exists or is no longer at
   *   `range.next`, for example after a reorganization. `away`: the trigger queue did not respond; retry later.
   */
  deliver(
    range: BackfillRange,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'>
}
