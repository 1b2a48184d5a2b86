import type { LogPosition } from '../chain-log.ts'
import type { DeliveryCursor } from './delivery-cursor.ts'

/** Progress of a backfill is delivered only for display to users. */
const PROGRESS_INTERVAL_MS = 2_000

/**
 * Progress for a delivery that includes all logs before `end`. Completion is always reported, other progress at
 * intervals.
 */
export function backfillProgress(
  { range, progressSentAt }: DeliveryCursor,
  end: LogPosition,
  now: number,
): { progress: { backfillAt?: number | null }; isReportDue: boolean } {
  if (!range) return { progress: {}, isReportDue: false }
  const isDue = end.block > range.to || Math.abs(now - progressSentAt) >= PROGRESS_INTERVAL_MS
  const backfillAt = end.block > range.to ? null : end.block
  return { progress: isDue ? { backfillAt } : {}, isReportDue: isDue }
}
