import type { AlertChannels } from './alert-channels.ts'
import { alertsCounted, allowedAt, CHANNEL_LIMITS } from './alert-digest.ts'
import type { AlertDeliveries } from './alert-deliveries.ts'

/** Incidents that have to be sent to the channels that the user added. */
export class PendingAlerts {
  readonly #sql: SqlStorage
  readonly #channels: AlertChannels
  readonly #deliveries: AlertDeliveries

  constructor(sql: SqlStorage, channels: AlertChannels, deliveries: AlertDeliveries) {
    this.#sql = sql
    this.#channels = channels
    this.#deliveries = deliveries
  }

  add(channelId: number, incidentId: number): void {
    this.#sql.exec(
      'INSERT INTO pending_alerts (channel_id, incident_id) VALUES (?, ?)',
      channelId,
      incidentId,
    )
  }

  /** Called when alerts are muted. @param triggerId all triggers if undefined */
  discard(triggerId?: string): void {
    this.#sql.exec(
      `DELETE FROM pending_alerts
       WHERE ?1 IS NULL OR incident_id IN (SELECT id FROM incidents WHERE trigger_id = ?1)`,
      triggerId ?? null,
    )
  }

  discardChannel(channelId: number): void {
    this.#sql.exec('DELETE FROM pending_alerts WHERE channel_id = ?', channelId)
  }

  /** Creates the deliveries that the limits permit. @returns the time of the next call */
  runDue(now: number): number | undefined {
    const pending = this.#sql
      .exec<{ channelId: number; incidents: string }>(
        `SELECT channel_id AS channelId, json_group_array(incident_id) AS incidents
         FROM (SELECT * FROM pending_alerts ORDER BY channel_id, incident_id) GROUP BY channel_id`,
      )
      .toArray()
    const times = pending.flatMap(({ channelId, incidents }) => {
      const sentAt = this.#deliveries.alertTimes(channelId, alertsCounted(CHANNEL_LIMITS))
      const at = allowedAt(CHANNEL_LIMITS, sentAt, now)
      if (at > now) return [at]
      const type = this.#channels.byId(channelId)?.type
      const incidentIds = JSON.parse(incidents) as number[]
      if (type) this.#deliveries.add({ channel: type, channelId, incidentIds, test: false }, now)
      this.discardChannel(channelId)
      return []
    })
    return times.length > 0 ? Math.min(...times) : undefined
  }
}
