import type { NumberedReport, ReportBatch } from './report.ts'

/** Recognizes reports that the object has already received. */
export class Reporters {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the new reports of a batch, and records their numbers. Must be called in the transaction that stores them. */
  takeNew({ triggerId, epoch, reports }: ReportBatch): NumberedReport[] {
    const [known] = this.#sql
      .exec<{ lastNumber: number }>(
        'SELECT last_number AS lastNumber FROM reporters WHERE trigger_id = ? AND epoch = ?',
        triggerId,
        epoch,
      )
      .toArray()
    const fresh = reports.filter(({ number }) => number > (known?.lastNumber ?? 0))
    const last = fresh.at(-1)
    if (last)
      this.#sql.exec(
        `INSERT INTO reporters (trigger_id, epoch, last_number) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET epoch = excluded.epoch, last_number = excluded.last_number`,
        triggerId,
        epoch,
        last.number,
      )
    return fresh
  }

  forget(triggerId: string): void {
    this.#sql.exec('DELETE FROM reporters WHERE trigger_id = ?', triggerId)
  }
}
