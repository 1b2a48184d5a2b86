import type { ActivityReport, TriggerActivity } from './activity.ts'
import type { ReportBatch } from './report.ts'
import { RunIndex } from './run-index.ts'

/** Latest activity of each trigger of a user, and the index of all their runs. */
export class TriggerActivities {
  readonly #sql: SqlStorage
  readonly #index: RunIndex

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#index = new RunIndex(sql)
  }

  /** @returns the highest sequence number of the trigger's runs that is known now */
  record({ triggerId, epoch }: ReportBatch, { activity, runs }: ActivityReport): number {
    const [known] = this.#sql
      .exec<{ epoch: number; knownThrough: number }>(
        'SELECT epoch, known_through AS knownThrough FROM trigger_activity WHERE trigger_id = ?',
        triggerId,
      )
      .toArray()
    // Sequence numbers start again after retention has deleted all runs, or if an operator restores a deleted trigger
    // or an older copy of its storage.
    const isContinued =
      known?.epoch === epoch &&
      known.knownThrough <= runs.last &&
      this.#index.agreesWith(triggerId, runs, known.knownThrough)
    if (known && !isContinued) this.#index.forget(triggerId)
    const knownThrough = this.#index.add(triggerId, runs, isContinued ? known.knownThrough : 0)
    this.#sql.exec(
      `INSERT INTO trigger_activity (trigger_id, epoch, known_through, activity) VALUES (?, ?, ?, ?)
       ON CONFLICT (trigger_id) DO UPDATE SET epoch = excluded.epoch, known_through = excluded.known_through,
         activity = excluded.activity`,
      triggerId,
      epoch,
      knownThrough,
      JSON.stringify(activity),
    )
    return knownThrough
  }

  /** Reads the activity of the given triggers, or of all. */
  read(triggerIds?: readonly string[]): Record<string, TriggerActivity> {
    const rows = this.#sql.exec<{ id: string; activity: string }>(
      `SELECT trigger_id AS id, activity FROM trigger_activity
       ${triggerIds ? 'WHERE trigger_id IN (SELECT value FROM json_each(?))' : ''}`,
      ...(triggerIds ? [JSON.stringify(triggerIds)] : []),
    )
    return Object.fromEntries(
      [...rows].map(({ id, activity }) => [id, JSON.parse(activity) as TriggerActivity]),
    )
  }

  forget(triggerId: string): void {
    this.#sql.exec('DELETE FROM trigger_activity WHERE trigger_id = ?', triggerId)
    this.#index.forget(triggerId)
  }
}
