import type { Position } from '../chain-log.ts'
import type { LanePosition } from './lane-position.ts'

/** Progress of a backfill is delivered only for display to users. */
const TOLD_EVERY_MS = 2_000

/**
 * Progress for a delivery that includes all logs before `end`. Completion is always reported, other progress at
 * intervals.
 */
export function laneProgress(
  { range, toldAt }: LanePosition,
  end: Position,
  now: number,
): { progress: { backfillAt?: number | null }; isWorthTelling: boolean } {
  if (!range) return { progress: {}, isWorthTelling: false }
  const isDue = end.block > range.to || Math.abs(now - toldAt) >= TOLD_EVERY_MS
  const backfillAt = end.block > range.to ? null : end.block
  return { progress: isDue ? { backfillAt } : {}, isWorthTelling: isDue }
}
