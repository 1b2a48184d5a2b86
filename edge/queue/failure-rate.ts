import { HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import { FAILURE_RATE_THRESHOLD } from '../../shared/limits.ts'
import type { PendingReports } from '../reports/pending-reports.ts'
import type { TriggerState } from './trigger-state.ts'

/**
 * The owner is alerted if at least 20 runs finished within an hour, and the share that failed reaches the threshold.
 */
const RUNS_MIN = 20
const WINDOW_MS = HOUR_MS

/** Latest runs that are examined, and their total body size, so that one check takes a few milliseconds. */
const RUNS_MAX = 200
const BYTES_MAX = 16 * 1024 * 1024

/** Minimum time between two reports of a rate that stays high. */
const INTERVAL_MS = 5 * MINUTE_MS

/** Each of the first failures is examined, and then every 20th, so that few rows are read per failure. */
const EXAMINED_FIRST = 40
const EXAMINED_EVERY = 20

type FailureRateOptions = {
  state: Pick<TriggerState, 'current'>
  sql: Pick<SqlStorage, 'exec'>
  reports: Pick<PendingReports, 'add'>
}

/** Reports to the owner that many of the latest runs failed. It reads the runs only after a failure. */
export class FailureRate {
  readonly #options: FailureRateOptions
  #reportedAt = Number.NEGATIVE_INFINITY
  /** Failures since the object was loaded. */
  #failures = 0

  constructor(options: FailureRateOptions) {
    this.#options = options
  }

  /** Called when the result of a failed run is on disk. */
  recordFailure(now: number): void {
    if (Math.abs(now - this.#reportedAt) < INTERVAL_MS) return
    this.#failures++
    if (this.#failures > EXAMINED_FIRST && this.#failures % EXAMINED_EVERY > 0) return
    const { total, failed } = this.#latest(now)
    const threshold = this.#options.state.current?.failureRateThreshold ?? FAILURE_RATE_THRESHOLD
    if (total < RUNS_MIN || failed / total < threshold) return
    this.#reportedAt = now
    const message = `${failed} of the last ${total} runs failed.`
    this.#options.reports.add({
      kind: 'signal',
      signal: 'failure_rate',
      state: 'open',
      code: null,
      message,
    })
  }

  /** Counts the latest runs that finished within the window. Tests do not count. */
  #latest(now: number): { total: number; failed: number } {
    const rows = this.#options.sql.exec<{
      status: string
      test: number
      bytes: number | null
      finished_at: number | null
    }>(
      `SELECT status, test, octet_length(body) AS bytes, finished_at FROM runs ORDER BY sequence DESC LIMIT ?`,
      RUNS_MAX,
    )
    let [total, failed, bytes] = [0, 0, 0]
    for (const row of rows) {
      bytes += row.bytes ?? 0
      if (bytes > BYTES_MAX) break
      const isRecent = row.finished_at !== null && row.finished_at > now - WINDOW_MS
      if (!isRecent || row.test) continue
      if (row.status === 'failed') failed++
      else if (row.status !== 'success') continue
      total++
    }
    return { total, failed }
  }
}
