import { summarizeFailure } from './failure-summary.ts'
import type { NumberedReport, Report } from './report.ts'

/**
 * Reports in the trigger's object that the owner's object has not acknowledged yet. They are written in the transaction
 * of the state change that they report.
 */
export class PendingReports {
  readonly #sql: Pick<SqlStorage, 'exec'>
  readonly #onAdded: () => void
  /** Undefined until the table has been read. It may be true for an empty table, after a rollback. */
  #any: boolean | undefined

  /** @param onAdded called in the transaction that adds a report */
  constructor(sql: Pick<SqlStorage, 'exec'>, onAdded: () => void = () => {}) {
    this.#sql = sql
    this.#onAdded = onAdded
  }

  /** Adds a report of a run that failed for good. Its row must have `finished_at`. Ignores test runs. */
  addFailedRun(sequence: number, error: string): void {
    const [run] = this.#sql
      .exec<{ suffix: string; queuedAt: number; finishedAt: number; attempt: number }>(
        `SELECT suffix, queued_at AS queuedAt, finished_at AS finishedAt, attempt FROM runs
         WHERE sequence = ? AND NOT test`,
        sequence,
      )
      .toArray()
    if (run) this.add({ kind: 'run_failed', ...run, error: summarizeFailure(error) })
  }

  add(report: Report): void {
    this.#any = true
    this.#sql.exec('INSERT INTO reports (report) VALUES (?)', JSON.stringify(report))
    this.#onAdded()
  }

  any(): boolean {
    this.#any ??= this.#sql.exec('SELECT 1 FROM reports LIMIT 1').toArray().length > 0
    return this.#any
  }

  oldest(limit: number): NumberedReport[] {
    const rows = this.#sql
      .exec<{ number: number; report: string }>(
        'SELECT number, report FROM reports ORDER BY number LIMIT ?',
        limit,
      )
      .toArray()
    return rows.map(({ number, report }) => ({ number, report: JSON.parse(report) as Report }))
  }

  /**
   * Returns the changes of a trigger that its owner deleted. Empty for an erased trigger, whose deletion is not
   * reported.
   */
  changesOfDeleted(): NumberedReport[] {
    const all = this.#sql
      .exec<{ number: number; report: string }>(
        `SELECT number, report FROM reports WHERE report ->> 'kind' = 'trigger_changed' ORDER BY number`,
      )
      .toArray()
      .map(({ number, report }) => ({ number, report: JSON.parse(report) as Report }))
    const last = all.at(-1)?.report
    return last?.kind === 'trigger_changed' && last.operation === 'delete_trigger' ? all : []
  }

  dropThrough(number: number): void {
    this.#sql.exec('DELETE FROM reports WHERE number <= ?', number)
    this.#any = undefined
  }

  markEmpty(): void {
    this.#any = false
  }
}
