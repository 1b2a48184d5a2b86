import { HOUR_MS } from '../../shared/durations.ts'
import { FAILED_RUNS_MAX, HISTORY_RETENTION_MS } from '../../shared/limits.ts'
import { errorFingerprint } from '../replays/error-fingerprint.ts'
import type { FailedRunReport } from './report.ts'

/** Rows that one pruning step deletes, so that a step blocks the storage only for a few milliseconds. */
const STEP_ROWS = 500
const STEP_INTERVAL_MS = 100

/** Failed runs of all triggers of a user. They are retained for 30 days, as the run history is. */
export class FailedRuns {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Ignores a run that is already stored. */
  add(triggerId: string, { suffix, queuedAt, finishedAt, attempt, error }: FailedRunReport): void {
    this.#sql.exec(
      `INSERT INTO failed_runs (trigger_id, suffix, queued_at, finished_at, attempt, code, message, frame,
         fingerprint)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      triggerId,
      suffix,
      queuedAt,
      finishedAt,
      attempt,
      error.code,
      error.message,
      error.frame,
      errorFingerprint(error),
    )
  }

  forget(triggerId: string): void {
    this.#sql.exec('DELETE FROM failed_runs WHERE trigger_id = ?', triggerId)
  }

  /** Returns the time at which `prune` has rows to delete; Infinity if the table is empty. */
  pruneAt(): number {
    if (this.#lowest('id') <= this.#excessId()) return 0
    return this.#lowest('queued_at') + HISTORY_RETENTION_MS
  }

  /**
   * Deletes rows that are too old or too many.
   * @returns the time of the next call; `undefined` if no rows are left
   */
  prune(now: number): number | undefined {
    const { rowsWritten } = this.#sql.exec(
      `DELETE FROM failed_runs WHERE id IN (
         SELECT id FROM failed_runs WHERE queued_at < ? UNION SELECT id FROM failed_runs WHERE id <= ? LIMIT ?)`,
      now - HISTORY_RETENTION_MS,
      this.#excessId(),
      STEP_ROWS,
    )
    if (rowsWritten > 0) return now + STEP_INTERVAL_MS
    const pruneAt = this.pruneAt()
    return Number.isFinite(pruneAt) ? Math.max(now + HOUR_MS, pruneAt) : undefined
  }

  /** IDs increase with each report, so rows with IDs up to this one exceed the limit. */
  #excessId(): number {
    const { id } = this.#sql
      .exec<{ id: number | null }>('SELECT max(id) AS id FROM failed_runs')
      .one()
    return (id ?? 0) - FAILED_RUNS_MAX
  }

  #lowest(column: 'id' | 'queued_at'): number {
    const { lowest } = this.#sql
      .exec<{ lowest: number | null }>(`SELECT min(${column}) AS lowest FROM failed_runs`)
      .one()
    return lowest ?? Number.POSITIVE_INFINITY
  }
}
