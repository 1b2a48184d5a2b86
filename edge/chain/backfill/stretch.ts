import type { ChainLog, Position } from '../chain-log.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { Lane } from '../subscription.ts'

/**
 * Range of old blocks that a cursor of a subscription still needs and that the watcher no longer stores. The cursor is
 * a backfill, or a live cursor that lags because the trigger's queue was full.
 */
export type Stretch = {
  triggerId: string
  generation: number
  lane: Lane
  filter: LogFilter
  next: Position
  /** Last block of the range, which is final for the trigger. */
  to: number
}

/** Interface through which the backfill reads and advances the cursors, which the watcher stores. */
export interface Stretches {
  /**
   * Returns all block ranges that can be read now. If a trigger queue is full, its range becomes due again when there
   * may be room, and the backfill is then notified.
   */
  due(): Stretch[]
  /**
   * Delivers logs and progress to a trigger, and stores the new position of the cursor.
   * @param stretch block range with the current position of the cursor in `next`
   * @param logs all matching logs from `stretch.next` to `through`, in order: about 1,000, or all logs of one block
   * @param through last block that was read
   * @returns `taken`: the cursor continues after `through`. `full`: the trigger queue is full, and a later `due`
   *   returns the position from which to continue. `over`: the cursor no longer exists or is no longer at
   *   `stretch.next`, for example after a reorganization. `away`: the trigger queue did not respond, and the delivery
   *   is retried later.
   */
  tell(
    stretch: Stretch,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'>
}
