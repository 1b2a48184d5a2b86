/** What a page asks of a trigger's object every few seconds. Pure: the page's script has these shapes too. */
import type {
  BackfillRecord,
  RunStatus,
  TriggerStats,
  WaitingFor,
} from '../../shared/wire/trigger.ts'

/** Of a trigger, for a page that looks again every few seconds. */
export type TriggerGlance = {
  /** Newest first. */
  lines: RunLine[]
  /** The next page's cursor. */
  next: string | null
  enabled: boolean
  disabledReason: string | null
  waitingFor: WaitingFor | null
  /** Schedules: Unix milliseconds. */
  nextTickAt: number | null
  backfill: BackfillRecord | null
  stats: TriggerStats
  chart: RunChart | null
}

/** A run in a line: what tells it from others, without its input, its logs and most of what came of it. */
export type RunLine = {
  /** Without its trigger's id, as `suffix` of the row. */
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
  /** Of the event. */
  bodyBytes: number
  /** Schedules: the nominal time of the tick. */
  scheduledAt: number | null
  /** Chain events: the block of the log. */
  blockNumber: number | null
  /** The beginning of the error, or of the response as JSON; null until it has ended. */
  text: string | null
}

/** What a chart may show: how far back it reaches, and how long a bucket of it is. */
export const CHART_RANGES = {
  '1h': { bucketMs: 2 * 60_000, buckets: 30 },
  '24h': { bucketMs: 60 * 60_000, buckets: 24 },
  '7d': { bucketMs: 6 * 60 * 60_000, buckets: 28 },
  '30d': { bucketMs: 24 * 60 * 60_000, buckets: 30 },
} as const
export type ChartRange = keyof typeof CHART_RANGES

export type ChartBucket = {
  /** Where it begins, Unix milliseconds. */
  at: number
  /** Runs that ended in it, by how. */
  ok: number
  failed: number
  /** From start to end of those of them that were started; null where there is none. */
  p50Ms: number | null
  p95Ms: number | null
}

export type RunChart = {
  range: ChartRange
  bucketMs: number
  /** Oldest first, none left out; the last one is under way. */
  buckets: ChartBucket[]
}
