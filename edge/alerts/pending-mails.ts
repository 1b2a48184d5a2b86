import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import { isEndPast } from '../deadline.ts'
import type { AlertDeliveries } from './alert-deliveries.ts'

/**
 * Limits on alert mails to one user. The first mail is sent at once. Incidents that open within the next ten minutes
 * share one mail.
 */
const MAIL_LIMITS = [
  { mails: 1, withinMs: 10 * MINUTE_MS },
  { mails: 3, withinMs: HOUR_MS },
  { mails: 10, withinMs: DAY_MS },
] as const

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
    const allowedAt = this.#allowedAt(now)
    if (allowedAt > now) return allowedAt
    this.#deliveries.add({ channel: 'mail', incidentIds: ids, test: false }, now)
    this.discard()
    return undefined
  }

  #allowedAt(now: number): number {
    const sentAt = this.#deliveries.alertMailTimes(MAIL_LIMITS.at(-1)!.mails)
    const ends = MAIL_LIMITS.map(({ mails, withinMs }) => {
      const until = (sentAt[mails - 1] ?? Number.NEGATIVE_INFINITY) + withinMs
      return isEndPast(until, withinMs, now) ? now : until
    })
    return Math.max(...ends)
  }
}
