import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import type { TriggerStats } from '../../shared/wire/trigger.ts'
import type { EventTotals } from './event-counts.ts'
import type { StoredRejections } from '../sources/rejections.ts'
import type { HourCounts, TriggerActivity } from '../reports/activity.ts'
import { rfc3339OrNull } from './records.ts'
import type { FinishedRun } from './statistics-queries.ts'
import { percentile } from './run-charts.ts'

export const STATS_WINDOW_MS = DAY_MS

/** Enough for a stable p95. */
const DURATIONS_MAX = 1_000

type StatisticsOptions = {
  now: () => number
  /** Newest first. May be incomplete for a large history. */
  endedSince(time: number): FinishedRun[]
  skippedSince(time: number): number
  eventsSince(time: number): EventTotals
  queueStatus(): { queued: number; running: number; oldestQueuedAt: number | null }
  /** Rejected webhooks; undefined if the trigger has no source. */
  rejected(): StoredRejections | undefined
}

type Counts = { ok: number; failed: number }

/**
 * Statistics of the runs that finished in the last 24 hours, without test runs. The runs are counted per minute. The counts are read from
 * disk on the first request and updated in memory afterwards, so that counting never delays a run.
 */
export class Statistics {
  readonly #options: StatisticsOptions
  /** Counts of finished runs, by minutes since the Unix epoch. Undefined until the first request. */
  #minutes: Map<number, Counts> | undefined
  /** Durations of finished runs, oldest first. */
  #durations: { finishedAt: number; ms: number }[] = []

  constructor(options: StatisticsOptions) {
    this.#options = options
  }

  /** The run must already be on disk, because the first request reads all runs from there. */
  add(run: FinishedRun): void {
    if (this.#minutes) this.#count(this.#minutes, run)
  }

  read(): TriggerStats {
    const now = this.#options.now()
    const counts = { ok: 0, failed: 0 }
    for (const { ok, failed } of this.#minutesSince(now - STATS_WINDOW_MS).values()) {
      counts.ok += ok
      counts.failed += failed
    }
    const { p50Ms, p95Ms } = this.#percentiles()
    const { queued, running, oldestQueuedAt } = this.#options.queueStatus()
    const { lastError, ...events } = this.#options.eventsSince(now - STATS_WINDOW_MS)
    const rejected = this.#options.rejected()
    return {
      window: '24h',
      ...counts,
      skipped: this.#options.skippedSince(now - STATS_WINDOW_MS),
      ...events,
      last_expression_error: lastError && {
        at: new Date(lastError.at).toISOString(),
        error: lastError.text,
      },
      p50_ms: p50Ms,
      p95_ms: p95Ms,
      queued,
      running,
      oldest_queued_at: rfc3339OrNull(oldestQueuedAt),
      ...(rejected ? { rejected: rejectedRecord(rejected) } : {}),
    }
  }

  /** Counts the runs by hour, for the list of triggers. */
  activity(): Pick<TriggerActivity, 'hours' | 'p50Ms' | 'p95Ms'> {
    const hours = new Map<number, HourCounts>()
    const minutes = this.#minutesSince(this.#options.now() - STATS_WINDOW_MS)
    for (const [minute, { ok, failed }] of minutes) {
      const hour = Math.floor((minute * MINUTE_MS) / HOUR_MS)
      const counts = hours.get(hour) ?? { hour, ok: 0, failed: 0 }
      hours.set(hour, counts)
      counts.ok += ok
      counts.failed += failed
    }
    const sorted = [...hours.values()].toSorted((a, b) => a.hour - b.hour)
    return { hours: sorted, ...this.#percentiles() }
  }

  /** Must be called after `#minutesSince`. */
  #percentiles(): { p50Ms: number | null; p95Ms: number | null } {
    const latest = this.#durations.slice(-DURATIONS_MAX)
    const sorted = latest.map(({ ms }) => ms).toSorted((a, b) => a - b)
    return { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }
  }

  #minutesSince(since: number): Map<number, Counts> {
    if (!this.#minutes) {
      this.#minutes = new Map()
      for (const run of this.#options.endedSince(since).toReversed())
        this.#count(this.#minutes, run)
    }
    const first = Math.floor(since / MINUTE_MS)
    for (const minute of this.#minutes.keys()) if (minute < first) this.#minutes.delete(minute)
    this.#durations = this.#durations.filter(({ finishedAt }) => finishedAt > since)
    return this.#minutes
  }

  #count(minutes: Map<number, Counts>, { status, startedAt, finishedAt }: FinishedRun): void {
    const minute = Math.floor(finishedAt / MINUTE_MS)
    const counts = minutes.get(minute) ?? { ok: 0, failed: 0 }
    minutes.set(minute, counts)
    counts[status === 'success' ? 'ok' : 'failed']++
    if (startedAt === null) return
    // Prevents a negative duration if the clock was set back during the run.
    this.#durations.push({ finishedAt, ms: Math.max(0, finishedAt - startedAt) })
    if (this.#durations.length > 2 * DURATIONS_MAX) this.#durations.splice(0, DURATIONS_MAX)
  }
}

function rejectedRecord({ count, since, lastReason, lastAt }: StoredRejections) {
  return {
    count,
    since: new Date(since).toISOString(),
    last_reason: lastReason,
    last_at: rfc3339OrNull(lastAt),
  }
}
