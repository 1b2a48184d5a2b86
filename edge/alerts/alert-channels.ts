import { DAY_MS } from '../../shared/durations.ts'
import { ALERT_CHANNELS_MAX } from '../../shared/limits.ts'
import type { AlertSignal } from '../../shared/wire/alert.ts'
import {
  type AlertChannelChange,
  type AlertChannelRecord,
  type AlertChannelType,
  channelTarget,
  type NewAlertChannel,
} from '../../shared/wire/alert-channel.ts'
import { isoTime } from './incidents.ts'

/** After a rotation, webhooks are also signed with the previous secret for this time. */
const ROTATION_MS = DAY_MS

/** A channel is disabled if all attempts failed for this time, and were at least this many. */
const FAILING_MS = 3 * DAY_MS
const FAILING_ATTEMPTS = 20

type Row = {
  id: number
  type: AlertChannelType
  name: string
  target: string
  signals: string | null
  trigger_ids: string | null
  secrets: string | null
  rotated_at: number | null
  disabled: AlertChannelRecord['disabled_reason']
  failures: number
  failing_since: number | null
  succeeded_at: number | null
  created_at: number
}

/** Channels that a user added. */
export class AlertChannels {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  list(): AlertChannelRecord[] {
    return this.#rows().map(toRecord)
  }

  byId(id: number): AlertChannelRecord | undefined {
    const row = this.#row(id)
    return row && toRecord(row)
  }

  /**
   * Returns the channels that receive an alert.
   * @param isDefault true if the settings include the signal, for channels without signals of their own
   */
  receiversOf(triggerId: string, signal: AlertSignal, isDefault: boolean): AlertChannelRecord[] {
    const channels = this.list()
    // An alert about a trigger that receives alerts could fire it again, directly or through another one.
    const isReceiver = channels.some(({ trigger_id }) => trigger_id === triggerId)
    return channels.filter(
      (channel) =>
        channel.enabled &&
        (channel.signals?.includes(signal) ?? isDefault) &&
        (channel.trigger_ids?.includes(triggerId) ?? true) &&
        !(channel.type === 'trigger' && isReceiver),
    )
  }

  /** True if an enabled channel has signals of its own that include this one. */
  anyWith(signal: AlertSignal): boolean {
    return this.list().some(({ enabled, signals }) => enabled && signals?.includes(signal))
  }

  isFull(): boolean {
    return this.#rows().length >= ALERT_CHANNELS_MAX
  }

  add(channel: NewAlertChannel, secrets: string | null, now: number): AlertChannelRecord {
    const row = this.#sql
      .exec<Row>(
        `INSERT INTO alert_channels (type, name, target, signals, trigger_ids, secrets, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
        channel.type,
        channel.name,
        channelTarget(channel),
        json(channel.signals),
        json(channel.trigger_ids),
        secrets,
        now,
      )
      .one()
    return toRecord(row)
  }

  change(id: number, change: AlertChannelChange): AlertChannelRecord | undefined {
    const row = this.#row(id)
    if (!row) return undefined
    const { enabled, name = row.name, signals, trigger_ids, url } = change
    const health =
      enabled === true
        ? { disabled: null, failures: 0, failing_since: null }
        : { ...row, disabled: enabled === false ? (row.disabled ?? 'owner') : row.disabled }
    this.#sql.exec(
      `UPDATE alert_channels SET name = ?, target = ?, signals = ?, trigger_ids = ?, disabled = ?, failures = ?,
         failing_since = ? WHERE id = ?`,
      name,
      row.type === 'webhook' ? (url ?? row.target) : row.target,
      signals === undefined ? row.signals : json(signals),
      trigger_ids === undefined ? row.trigger_ids : json(trigger_ids),
      health.disabled,
      health.failures,
      health.failing_since,
      id,
    )
    return this.byId(id)
  }

  remove(id: number): boolean {
    return this.#sql.exec('DELETE FROM alert_channels WHERE id = ?', id).rowsWritten > 0
  }

  /** Deletes the channels that fire a trigger. Called when the trigger is deleted. */
  removeTrigger(triggerId: string): void {
    this.#sql.exec(`DELETE FROM alert_channels WHERE type = 'trigger' AND target = ?`, triggerId)
  }

  /** Returns the encrypted secrets. `count` of them sign webhooks now. */
  secretsOf(id: number, now: number): { sealed: string; count: number } | undefined {
    const row = this.#row(id)
    if (!row || row.secrets === null) return undefined
    const isRotating = row.rotated_at !== null && now < row.rotated_at + ROTATION_MS
    return { sealed: row.secrets, count: isRotating ? 2 : 1 }
  }

  replaceSecrets(id: number, sealed: string, now: number): AlertChannelRecord | undefined {
    this.#sql.exec(
      'UPDATE alert_channels SET secrets = ?, rotated_at = ? WHERE id = ?',
      sealed,
      now,
      id,
    )
    return this.byId(id)
  }

  recordSuccess(id: number, now: number): void {
    this.#sql.exec(
      'UPDATE alert_channels SET failures = 0, failing_since = NULL, succeeded_at = ? WHERE id = ?',
      now,
      id,
    )
  }

  /** @returns true if the failure disabled the channel */
  recordFailure(id: number, isGone: boolean, now: number): boolean {
    this.#sql.exec(
      `UPDATE alert_channels SET failures = failures + 1, failing_since = coalesce(failing_since, ?) WHERE id = ?`,
      now,
      id,
    )
    const { rowsWritten } = this.#sql.exec(
      `UPDATE alert_channels SET disabled = ? WHERE id = ? AND disabled IS NULL
         AND (? OR (failures >= ? AND failing_since <= ?))`,
      isGone ? 'gone' : 'failing',
      id,
      Number(isGone),
      FAILING_ATTEMPTS,
      now - FAILING_MS,
    )
    return rowsWritten > 0
  }

  #rows(): Row[] {
    return this.#sql.exec<Row>('SELECT * FROM alert_channels ORDER BY id').toArray()
  }

  #row(id: number): Row | undefined {
    return this.#sql.exec<Row>('SELECT * FROM alert_channels WHERE id = ?', id).toArray()[0]
  }
}

function toRecord(row: Row): AlertChannelRecord {
  const { id, type, name, target, signals, trigger_ids, disabled } = row
  const time = (at: number | null) => (at === null ? null : isoTime(at))
  return {
    id,
    type,
    name,
    url: type === 'webhook' ? target : null,
    trigger_id: type === 'trigger' ? target : null,
    signals: parsed<AlertSignal>(signals),
    trigger_ids: parsed<string>(trigger_ids),
    enabled: disabled === null,
    disabled_reason: disabled,
    created_at: isoTime(row.created_at),
    last_success_at: time(row.succeeded_at),
    failing_since: time(row.failing_since),
  }
}

const json = (values: readonly string[] | null | undefined) =>
  values ? JSON.stringify([...new Set(values)]) : null

function parsed<Value>(text: string | null): Value[] | null {
  return text === null ? null : (JSON.parse(text) as Value[])
}
