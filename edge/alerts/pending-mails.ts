import { alertsCounted, allowedAt, MAIL_LIMITS } from './alert-digest.ts'
import type { AlertDeliveries } from './alert-deliveries.ts'

/** Incidents for which a mail has to be sent. */
export class PendingMails {
  readonly #sql: SqlStorage
  readonly #deliveries: AlertDeliveries

  constructor(sql: SqlStorage, deliveries: AlertDeliveries) {
    this.#sql = sql
    this.#deliveries = deliveries
  }

  add(incidentId: number): void {
    this.#sql.exec('UPDATE incidents SET mail_pending = 1 WHERE id = ?', incidentId)
  }

  /** Called when alerts are muted. @param triggerId all triggers if undefined */
  discard(triggerId?: string): void {
    this.#sql.exec(
      'UPDATE incidents SET mail_pending = 0 WHERE mail_pending = 1 AND (?1 IS NULL OR trigger_id = ?1)',
      triggerId ?? null,
    )
  }

  /** Creates the delivery of a mail if the limits permit it. @returns the time of the next call */
  runDue(now: number): number | undefined {
    const ids = this.#sql
      .exec<{ id: number }>('SELECT id FROM incidents WHERE mail_pending = 1 ORDER BY id')
      .toArray()
      .map(({ id }) => id)
    if (ids.length === 0) return undefined
    const sentAt = this.#deliveries.alertTimes(null, alertsCounted(MAIL_LIMITS))
    const at = allowedAt(MAIL_LIMITS, sentAt, now)
    if (at > now) return at
    this.#deliveries.add({ channel: 'mail', channelId: null, incidentIds: ids, test: false }, now)
    this.discard()
    return undefined
  }
}
