import { backoffMs } from '../../shared/backoff.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import type {
  AlertDeliveriesQuery,
  AlertDelivery,
  DeliveryChannel,
} from '../../shared/wire/alert.ts'
import { rootCauseText } from '../db/root-cause-text.ts'
import { isEndPast } from '../deadline.ts'
import { AttemptFailedError, UndeliverableError } from './attempt-failed-error.ts'
import { isoTime } from './incidents.ts'

const RETRY_MS = MINUTE_MS

/** Mails are attempted over half an hour. The others are attempted over 16 hours, because receivers can have outages. */
const RETRIES: Record<DeliveryChannel, { attempts: number; maxMs: number }> = {
  mail: { attempts: 6, maxMs: HOUR_MS },
  webhook: { attempts: 12, maxMs: 4 * HOUR_MS },
  trigger: { attempts: 12, maxMs: 4 * HOUR_MS },
}

const RETENTION_MS = 30 * DAY_MS
/** Deliveries that one alarm starts. */
const BATCH = 10

type Row = {
  id: number
  channel: DeliveryChannel
  channel_id: number | null
  message_id: string | null
  test: number
  incident_ids: string
  state: AlertDelivery['state']
  attempts: number
  created_at: number
  next_at: number
  ended_at: number | null
  status_code: number | null
  error: string | null
}

type NewDelivery = {
  channel: DeliveryChannel
  /** Channel that receives the alert. For a mail, the disabled channel that it is about. */
  channelId: number | null
  test: boolean
  incidentIds: number[]
}

export type DueDelivery = NewDelivery & {
  id: number
  /** Random, the same in each attempt. Null for a mail. */
  messageId: string | null
  createdAt: number
}

type AlertDeliveriesOptions = {
  sql: SqlStorage
  /**
   * @returns the HTTP status of a webhook
   * @throws {UndeliverableError} if a retry cannot succeed
   */
  send: (delivery: DueDelivery) => Promise<number | null>
  /** Called after each attempt. @param error undefined after a success */
  attempted: (delivery: DueDelivery, error: unknown) => void
  random: (bytes: number) => Uint8Array
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

  add({ channel, channelId, incidentIds, test }: NewDelivery, now: number): AlertDelivery {
    const { random, sql } = this.#options
    const row = sql
      .exec<Row>(
        `INSERT INTO alert_deliveries (channel, channel_id, message_id, test, incident_ids, state, attempts, created_at,
           next_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 'pending', 0, ?6, ?6) RETURNING *`,
        channel,
        channelId,
        channel === 'mail' ? null : `msg_${encodeBase64url(random(18))}`,
        Number(test),
        JSON.stringify(incidentIds),
        now,
      )
      .one()
    this.#options.armBy(now)
    return toRecord(row)
  }

  /** Returns the times of the last alerts that were not tests, newest first. @param channelId null for mails */
  alertTimes(channelId: number | null, limit: number): number[] {
    return this.#options.sql
      .exec<{ at: number }>(
        `SELECT created_at AS at FROM alert_deliveries
         WHERE channel_id IS ?1 AND (?1 IS NULL OR channel <> 'mail') AND test = 0 ORDER BY id DESC LIMIT ?2`,
        channelId,
        limit,
      )
      .toArray()
      .map(({ at }) => at)
  }

  list({ limit, cursor, channel_id }: AlertDeliveriesQuery): AlertDelivery[] {
    return this.#options.sql
      .exec<Row>(
        `SELECT * FROM alert_deliveries WHERE id < ?${channel_id === undefined ? '' : ' AND channel_id = ?'}
         ORDER BY id DESC LIMIT ?`,
        cursor ?? Number.MAX_SAFE_INTEGER,
        ...(channel_id === undefined ? [] : [channel_id]),
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
    for (const row of pending) {
      const { maxMs } = RETRIES[row.channel]
      if (!isEndPast(row.next_at, maxMs, now)) continue
      const nextAt = now + backoffMs(row.attempts, RETRY_MS, maxMs)
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

  async #attempt(row: Row): Promise<void> {
    const { attempted, now, send, sql } = this.#options
    const delivery = dueDelivery(row)
    const result = await send(delivery).then(
      (statusCode) => ({ statusCode, error: undefined }),
      (error: unknown) => ({ statusCode: null, error }),
    )
    if (result.error === undefined)
      sql.exec(
        `UPDATE alert_deliveries SET state = 'sent', ended_at = ?, status_code = ?, error = NULL WHERE id = ?`,
        now(),
        result.statusCode,
        row.id,
      )
    else this.#recordFailure(delivery, row.attempts + 1, result.error)
    attempted(delivery, result.error)
  }

  #recordFailure(delivery: DueDelivery, attempt: number, error: unknown): void {
    const { log, now, sql } = this.#options
    const isLast = attempt >= attemptsOf(delivery) || error instanceof UndeliverableError
    const reason = error instanceof AttemptFailedError ? error.message : rootCauseText(error)
    log('alert.not_sent', { channel: delivery.channel, attempt, reason })
    sql.exec(
      'UPDATE alert_deliveries SET state = ?, ended_at = ?, status_code = ?, error = ? WHERE id = ?',
      isLast ? 'failed' : 'pending',
      isLast ? now() : null,
      error instanceof AttemptFailedError ? error.statusCode : null,
      reason,
      delivery.id,
    )
  }
}

/** The user waits for the result of a test of a webhook or trigger, so it is not repeated. */
function attemptsOf({ channel, test }: DueDelivery): number {
  return test && channel !== 'mail' ? 1 : RETRIES[channel].attempts
}

function dueDelivery(row: Row): DueDelivery {
  return {
    id: row.id,
    channel: row.channel,
    channelId: row.channel_id,
    messageId: row.message_id,
    test: row.test === 1,
    incidentIds: JSON.parse(row.incident_ids) as number[],
    createdAt: row.created_at,
  }
}

function toRecord(row: Row): AlertDelivery {
  const { id, channel, channel_id, state, attempts, status_code, error } = row
  return {
    id,
    channel,
    channel_id,
    state,
    test: row.test === 1,
    incident_ids: JSON.parse(row.incident_ids) as number[],
    created_at: isoTime(row.created_at),
    ended_at: row.ended_at === null ? null : isoTime(row.ended_at),
    attempts,
    status_code,
    error,
  }
}
