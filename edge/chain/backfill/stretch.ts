import type { ChainLog, Position } from '../chain-log.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { Lane } from '../subscription.ts'

/**
 * Old blocks that a subscription's cursor still needs, older than those that the watcher keeps: a backfill, or what a
 * trigger missed while its queue was full.
 */
export type Stretch = {
  triggerId: string
  generation: number
  lane: Lane
  filter: LogFilter
  next: Position
  /** The last block, which is final for this trigger. */
  to: number
}

/** The backfill's interface to the cursors, which the watcher stores. */
export interface Stretches {
  /**
   * Returns all ranges that can be read now. A range of a full trigger queue becomes due again when there may be room,
   * and the runner is then poked.
   */
  due(): Stretch[]
  /**
   * Delivers logs and progress to the trigger, and records both.
   * @param stretch with its current `next`
   * @param logs all matches from `stretch.next` to `through`, in order: about 1,000, or all of one block
   * @param through the last block that was read
   * @returns `taken`: the cursor continues after `through`. `full`: it waits for room, and a later `due` has its
   *   position. `over`: it no longer exists or is no longer at `stretch.next`, for example after a reorganization.
   *   `away`: the trigger queue did not answer, and the delivery is retried later.
   */
  tell(
    stretch: Stretch,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'>
}
