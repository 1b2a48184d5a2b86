/** Contains only types and constants, because the script of the trigger's web page imports this file too. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import type {
  BackfillRecord,
  RunStatus,
  TriggerStats,
  WaitingFor,
} from '../../shared/wire/trigger.ts'

/** State of a trigger, which the trigger's web page polls every few seconds. */
export type TriggerSnapshot = {
  /** Newest first. */
  lines: RunSummary[]
  next: string | null
  enabled: boolean
  disabledReason: string | null
  waitingFor: WaitingFor | null
  /** Nominal time, in Unix milliseconds. Null if no tick is pending. */
  nextTickAt: number | null
  backfill: BackfillRecord | null
  stats: TriggerStats
  chart: RunChart | null
  /** The newest failed run of the history. */
  lastFailure: LastFailure | null
}

export type LastFailure = Pick<RunSummary, 'suffix' | 'text'> & {
  finishedAt: number
  /** True if no run has succeeded since. */
  isLatest: boolean
}

/** A run without its input and logs, and with a shortened result. */
export type RunSummary = {
  /** Run ID without the trigger ID, as in the column `suffix`. */
  suffix: string
  status: RunStatus
  /** All times of a summary are in Unix milliseconds. */
  queuedAt: number
  startedAt: number | null
  finishedAt: number | null
  nextAttemptAt: number | null
  waitingFor: WaitingFor | null
  attempt: number
  test: boolean
  isReplay: boolean
  reorged: boolean
  source: 'webhook' | 'webhook_batch' | 'schedule' | 'chain_event' | 'params'
  bodyBytes: number
  /** Nominal time. Null if the trigger is not a schedule. */
  scheduledAt: number | null
  /** Null if the trigger is not a chain event. */
  blockNumber: number | null
  /** Interval in blocks. Null if the run was not fired by a block. */
  every: number | null
  /** Null if the run was not fired by a transaction. */
  firedBy: 'transaction' | null
  /** First characters of the error, or of the response as JSON. Null until the run finishes. */
  text: string | null
}

export const CHART_RANGES = {
  '1h': { bucketMs: 2 * MINUTE_MS, buckets: 30 },
  '24h': { bucketMs: HOUR_MS, buckets: 24 },
  '7d': { bucketMs: 6 * HOUR_MS, buckets: 28 },
  '30d': { bucketMs: DAY_MS, buckets: 30 },
} as const
export type ChartRange = keyof typeof CHART_RANGES

type ChartBucket = {
  /** Start of the bucket, in Unix milliseconds. */
  at: number
  ok: number
  failed: number
  /** Percentiles of the duration from start to finish. Runs that never started are excluded. Null if no runs remain. */
  p50Ms: number | null
  p95Ms: number | null
}

export type RunChart = {
  range: ChartRange
  bucketMs: number
  /** Oldest first and without gaps. The last bucket is still being filled. */
  buckets: ChartBucket[]
}
