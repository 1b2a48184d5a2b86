import type { Position } from '../chain-log.ts'
import type { LanePosition } from './lane-position.ts'

/** How far a backfill is, is shown to people. */
const TOLD_EVERY_MS = 2_000

/** What a trigger is told of its backfill once it has been told of all before a place; the end always, the rest at times. */
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
