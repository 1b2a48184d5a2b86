import { backoffMs } from '../../shared/backoff.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import type { AlertChannel, AlertDeliveriesQuery, AlertDelivery } from '../../shared/wire/alert.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import { isEndPast } from '../deadline.ts'
import { isoTime } from './incidents.ts'

const ATTEMPTS_MAX = 6
const RETRY_MS = MINUTE_MS
const RETRY_MAX_MS = HOUR_MS
const RETENTION_MS = 30 * DAY_MS
/** Deliveries that one alarm starts. */
const BATCH = 10

type Row = {
  id: number
  channel: AlertChannel
  test: number
  incident_ids: string
  state: AlertDelivery['state']
  attempts: number
  created_at: number
  next_at: number
  ended_at: number | null
  error: string | null
}

export type DueDelivery = {
  id: number
  channel: AlertChannel
  test: boolean
  incidentIds: number[]
}

/** Thrown by a sender if a retry cannot succeed. The message is shown to the user. */
export class UndeliverableError extends Error {
  override name = 'UndeliverableError'
}

type AlertDeliveriesOptions = {
  sql: SqlStorage
  /** @throws {UndeliverableError} if a retry cannot succeed */
  send: (delivery: DueDelivery) => Promise<void>
  now: () => number
  armBy: (at: number) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Outbox of alerts, and their history. A delivery is attempted again if the object is evicted during an attempt, so an
 * alert may arrive twice.
 */
export class AlertDeliveries {
  readonly #options: AlertDeliveriesOptions

  constructor(options: AlertDeliveriesOptions) {
    this.#options = options
  }

  add({ channel, incidentIds, test }: Omit<DueDelivery, 'id'>, now: number): AlertDelivery {
    const row = this.#options.sql
      .exec<Row>(
        `INSERT INTO alert_deliveries (channel, test, incident_ids, state, attempts, created_at, next_at)
         VALUES (?1, ?2, ?3, 'pending', 0, ?4, ?4) RETURNING *`,
        channel,
        Number(test),
        JSON.stringify(incidentIds),
        now,
      )
      .one()
    this.#options.armBy(now)
    return toRecord(row)
  }

  /** Returns the times of the last mails that were not tests, newest first. */
  alertMailTimes(limit: number): number[] {
    return this.#options.sql
      .exec<{ at: number }>(
        `SELECT created_at AS at FROM alert_deliveries WHERE channel = 'mail' AND test = 0 ORDER BY id DESC LIMIT ?`,
        limit,
      )
      .toArray()
      .map(({ at }) => at)
  }

  list({ limit, cursor }: AlertDeliveriesQuery): AlertDelivery[] {
    return this.#options.sql
      .exec<Row>(
        'SELECT * FROM alert_deliveries WHERE id < ? ORDER BY id DESC LIMIT ?',
        cursor ?? Number.MAX_SAFE_INTEGER,
        limit,
      )
      .toArray()
      .map(toRecord)
  }

  /** Starts the attempts that are due, and deletes old deliveries. @returns the time of the next call */
  runDue(now: number, keepAlive: (work: Promise<void>) => void): number | undefined {
    const { sql } = this.#options
    sql.exec('DELETE FROM alert_deliveries WHERE ended_at <= ?', now - RETENTION_MS)
    const pending = sql
      .exec<Row>(
        `SELECT * FROM alert_deliveries WHERE state = 'pending' ORDER BY next_at LIMIT ?`,
        BATCH,
      )
      .toArray()
    for (const row of pending.filter(({ next_at }) => isEndPast(next_at, RETRY_MAX_MS, now))) {
      const nextAt = now + backoffMs(row.attempts, RETRY_MS, RETRY_MAX_MS)
      // Stored before the attempt, so that an eviction during the attempt delays the next one.
      sql.exec(
        'UPDATE alert_deliveries SET attempts = attempts + 1, next_at = ? WHERE id = ?',
        nextAt,
        row.id,
      )
      keepAlive(this.#attempt(row))
    }
    const { next, old } = sql
      .exec<{ next: number | null; old: number | null }>(
        `SELECT (SELECT min(next_at) FROM alert_deliveries WHERE state = 'pending') AS next,
           (SELECT min(ended_at) FROM alert_deliveries) AS old`,
      )
      .one()
    const oldAt = old === null ? [] : [Math.max(now + HOUR_MS, old + RETENTION_MS)]
    const times = [...(next === null ? [] : [next]), ...oldAt]
    return times.length > 0 ? Math.min(...times) : undefined
  }

  async #attempt({ id, channel, test, incident_ids, attempts }: Row): Promise<void> {
    const { log, now, send, sql } = this.#options
    const incidentIds = JSON.parse(incident_ids) as number[]
    try {
      await send({ id, channel, test: test === 1, incidentIds })
      sql.exec(
        `UPDATE alert_deliveries SET state = 'sent', ended_at = ?, error = NULL WHERE id = ?`,
        now(),
        id,
      )
    } catch (error) {
      const isLast = attempts + 1 >= ATTEMPTS_MAX || error instanceof UndeliverableError
      const reason = error instanceof UndeliverableError ? error.message : rootCauseText(error)
      log('alert.not_sent', { channel, attempt: attempts + 1, reason })
      sql.exec(
        'UPDATE alert_deliveries SET state = ?, ended_at = ?, error = ? WHERE id = ?',
        isLast ? 'failed' : 'pending',
        isLast ? now() : null,
        reason,
        id,
      )
    }
  }
}

function toRecord(row: Row): AlertDelivery {
  const { id, channel, state, attempts, error } = row
  return {
    id,
    channel,
    state,
    test: row.test === 1,
    incident_ids: JSON.parse(row.incident_ids) as number[],
    created_at: isoTime(row.created_at),
    ended_at: row.ended_at === null ? null : isoTime(row.ended_at),
    attempts,
    error,
  }
}
