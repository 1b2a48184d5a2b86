import type { ChainLog, LogPosition } from '../chain-log.ts'
import { settledProgress } from './caught-up-delivery.ts'
import type { DeliveryCursor } from './delivery-cursor.ts'
import type { DeliverySender } from './delivery-sender.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Minimum interval between progress reports of a backfill. Progress is only displayed to users, so frequent reports are
 * not necessary.
 */
const PROGRESS_INTERVAL_MS = 2_000

export type CursorDeliveryOptions = { state: WatchState; sender: DeliverySender; now: () => number }

/**
 * Result of a delivery. `taken`: the cursor can advance. `full` or `away`: a retry is scheduled, and `rest` is the
 * first log that was not accepted. `over`: the cursor no longer exists.
 */
export type CursorDelivery =
  | { state: 'taken' }
  | { state: 'over' }
  | { state: 'full' | 'away'; rest: ChainLog | undefined }

/**
 * Sends logs to the trigger of a cursor, with the progress of a backfill. Sends nothing if there are no logs and no
 * progress report is due.
 * @param end position up to which `logs` contains all matching logs
 */
export async function deliverToCursor(
  { state, sender, now }: CursorDeliveryOptions,
  watched: ActiveSubscription,
  cursor: DeliveryCursor,
  logs: readonly ChainLog[],
  end: LogPosition,
): Promise<CursorDelivery> {
  const progress = progressOf(cursor, end, now())
  cursor.beginDelivery()
  if (logs.length === 0 && !progress) return { state: 'taken' }
  const outcome = await sender.send(watched.triggerId, {
    generation: watched.generation,
    lane: cursor.kind,
    logs,
    ...progress,
    ...settledProgress(state),
  })
  if (!isCurrentCursor(state, watched, cursor)) return { state: 'over' }
  if (outcome.state === 'over') {
    state.transaction(() => state.subscriptions.end(watched.triggerId, watched.version, now()))
    return { state: 'over' }
  }
  const rest = outcome.state === 'away' ? logs[0] : logs[outcome.count]
  if (outcome.state === 'away' || rest) {
    cursor.scheduleRetry(now())
    return { state: outcome.state === 'away' ? 'away' : 'full', rest }
  }
  cursor.clearBackoff()
  if (progress) cursor.progressSentAt = now()
  return { state: 'taken' }
}

export function isCurrentCursor(
  { subscriptions }: WatchState,
  watched: ActiveSubscription,
  cursor: DeliveryCursor,
): boolean {
  return subscriptions.isCurrent(watched) && watched[cursor.kind] === cursor
}

/** Completion is always reported, other progress only at intervals. */
function progressOf({ range, progressSentAt }: DeliveryCursor, end: LogPosition, now: number) {
  if (!range) return undefined
  if (end.block > range.to) return { backfillAt: null }
  return Math.abs(now - progressSentAt) >= PROGRESS_INTERVAL_MS
    ? { backfillAt: end.block }
    : undefined
}
