/**
 * The data that a page polls from a trigger's object every few seconds. Only types and constants, because the page's
 * script uses them too.
 */
import type {
  BackfillRecord,
  RunStatus,
  TriggerStats,
  WaitingFor,
} from '../../shared/wire/trigger.ts'

/** The state of a trigger, for a page that polls it every few seconds. */
export type TriggerGlance = {
  /** Newest first. */
  lines: RunLine[]
  next: string | null
  enabled: boolean
  disabledReason: string | null
  waitingFor: WaitingFor | null
  /** Schedules: the next tick, Unix milliseconds. */
  nextTickAt: number | null
  backfill: BackfillRecord | null
  stats: TriggerStats
  chart: RunChart | null
}

/** A summary of a run, without its input and logs, and with a shortened result. */
export type RunLine = {
  /** The run ID without the trigger ID, like `suffix` of the row. */
  suffix: string
  status: RunStatus
  /** Unix milliseconds, like all times here. */
  queuedAt: number
  startedAt: number | null
  finishedAt: number | null
  nextAttemptAt: number | null
  waitingFor: WaitingFor | null
  attempt: number
  test: boolean
  isReplay: boolean
  reorged: boolean
  source: 'webhook' | 'schedule' | 'chain_event' | 'params'
  bodyBytes: number
  /** Schedules: the nominal time of the tick. */
  scheduledAt: number | null
  /** Chain events: the block of the log. */
  blockNumber: number | null
  /** The start of the error, or of the response as JSON; null until the run finishes. */
  text: string | null
}

/** The ranges of a chart, with the length and number of their buckets. */
export const CHART_RANGES = {
  '1h': { bucketMs: 2 * 60_000, buckets: 30 },
  '24h': { bucketMs: 60 * 60_000, buckets: 24 },
  '7d': { bucketMs: 6 * 60 * 60_000, buckets: 28 },
  '30d': { bucketMs: 24 * 60 * 60_000, buckets: 30 },
} as const
export type ChartRange = keyof typeof CHART_RANGES

export type ChartBucket = {
  /** The start of the bucket, Unix milliseconds. */
  at: number
  ok: number
  failed: number
  /** Percentiles of the duration from start to finish, over the runs that started; null if there are no such runs. */
  p50Ms: number | null
  p95Ms: number | null
}

export type RunChart = {
  range: ChartRange
  bucketMs: number
  /** Oldest first and without gaps. The last bucket is still being filled. */
  buckets: ChartBucket[]
}
