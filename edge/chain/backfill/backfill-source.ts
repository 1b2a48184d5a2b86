import type { ChainLog, LogPosition } from '../chain-log.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { CursorKind } from '../subscription.ts'

/**
 * Range of old blocks that a cursor still needs and that the watcher no longer stores. Either the cursor is a backfill
 * cursor, or it is a live cursor that lags because the trigger's queue was full.
 */
export type BackfillRange = {
  triggerId: string
  generation: number
  /** `learn` if the range is searched for the contracts that a factory created. */
  lane: CursorKind | 'learn'
  filter: LogFilter
  next: LogPosition
  /** Last block of the range. This block and all earlier ones are final by the finality that the trigger requires. */
  to: number
}

export interface BackfillSource {
  /**
   * Returns the block ranges that can be read now. The range of a full trigger queue is omitted until the queue may
   * have room again, and the backfill is then notified.
   */
  due(): BackfillRange[]
  /**
   * Delivers logs to the trigger queue, and stores the new position of the cursor.
   * @param range its `next` must be the current position of the cursor
   * @param logs all matching logs from `range.next` to `through`, in order: about 1,000, or all logs of one block
   * @returns `taken` if the cursor continues after `through`. `full` if the trigger queue is full; a later `due`
   *   returns the position from which to continue. `over` if the cursor no longer exists or is no longer at
   *   `range.next`, for example after a reorganization. `away` if the trigger queue did not respond; the caller retries
   *   later.
   */
  deliver(
    range: BackfillRange,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'>
}
