import type { ChainLog, Position } from '../chain-log.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { Lane } from '../subscription.ts'

/**
 * Old blocks that one lane of a subscription still needs, older than what the watcher has looked through for all: a
 * backfill, or what a trigger whose queue was full has missed.
 */
export type Stretch = {
  triggerId: string
  generation: number
  lane: Lane
  filter: LogFilter
  next: Position
  /** The last block, final for this trigger. */
  to: number
}

/** The lanes as the backfill sees them; the watcher keeps them. */
export interface Stretches {
  /**
   * All that can be read now. Not those whose trigger is full: they are due again when it has room, or may have; the
   * runner is poked then.
   */
  due(): Stretch[]
  /**
   * Tells the trigger of logs and of how far its blocks have been read, and notes both.
   * @param stretch with `next` as it is by now
   * @param logs all that match from `stretch.next` to `through`, in order; some 1,000, or all of one block
   * @param through the last block that was read
   * @returns `taken`: the lane goes on behind `through`; `full`: it waits for room, and a later `due` says from where;
   *   `over`: it is no longer there, or no longer at `stretch.next`, as after a reorganisation; `away`: the trigger's object
   *   did not answer, it is told again later
   */
  tell(
    stretch: Stretch,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'>
}
