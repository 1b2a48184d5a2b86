import { CREDIT_LOW_CENTS_DEFAULT, KEY_EXPIRING_DAYS_DEFAULT } from '../../shared/limits.ts'
import {
  type AlertChannel,
  type AlertSettingsChange,
  type AlertSignal,
  type AlertThresholds,
  DEFAULT_ALERT_SIGNALS,
  type TriggerAlertSettings,
  type TriggerAlertSettingsChange,
} from '../../shared/wire/alert.ts'

type Row = {
  scope: string
  signals: string | null
  channels: string | null
  muted: number
  thresholds: string | null
}
type EffectiveSettings = {
  signals: AlertSignal[]
  channels: AlertChannel[]
  muted: boolean
  thresholds: AlertThresholds
}

const DEFAULT_THRESHOLDS: AlertThresholds = {
  expiry_days: KEY_EXPIRING_DAYS_DEFAULT,
  credit_cents: CREDIT_LOW_CENTS_DEFAULT,
}

/** Scope of the settings that apply to triggers without their own. No trigger has this ID. */
export const ACCOUNT = ''

/** Settings of a user for all alerts, and for single triggers. Without rows, the defaults apply. */
export class AlertSettings {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  account(): EffectiveSettings {
    const row = this.#row(ACCOUNT)
    return {
      signals: parsed(row?.signals) ?? [...DEFAULT_ALERT_SIGNALS],
      channels: parsed(row?.channels) ?? ['mail'],
      muted: row?.muted === 1,
      thresholds: { ...DEFAULT_THRESHOLDS, ...parsedThresholds(row) },
    }
  }

  /**
   * Returns the settings that apply to an alert: whether the signal alerts, and the built-in channels. Undefined while
   * alerts are muted.
   */
  effective(
    triggerId: string,
    signal: AlertSignal,
  ): { includesSignal: boolean; channels: AlertChannel[] } | undefined {
    const account = this.account()
    const own = this.trigger(triggerId)
    if (account.muted || own.muted) return undefined
    return {
      includesSignal: (own.signals ?? account.signals).includes(signal),
      channels: own.channels ?? account.channels,
    }
  }

  trigger(triggerId: string): TriggerAlertSettings {
    return toRecord(this.#row(triggerId) ?? { ...NO_SETTINGS, scope: triggerId })
  }

  triggers(): TriggerAlertSettings[] {
    return this.#sql
      .exec<Row>('SELECT * FROM alert_settings WHERE scope <> ? ORDER BY scope', ACCOUNT)
      .toArray()
      .map(toRecord)
  }

  /** @param scope a trigger ID or `ACCOUNT` */
  change(
    scope: string,
    { signals, channels, muted, thresholds }: AlertSettingsChange | TriggerAlertSettingsChange,
  ): void {
    this.#sql.exec(
      `INSERT INTO alert_settings (scope, signals, channels, muted, thresholds)
       VALUES (?1, ?2, ?3, coalesce(?4, 0), ?5)
       ON CONFLICT DO UPDATE SET signals = coalesce(?2, signals), channels = coalesce(?3, channels),
         muted = coalesce(?4, muted), thresholds = coalesce(?5, thresholds)`,
      scope,
      json(signals),
      json(channels),
      muted === undefined ? null : Number(muted),
      thresholds === undefined
        ? null
        : JSON.stringify({ ...parsedThresholds(this.#row(scope)), ...thresholds }),
    )
  }

  /** Returns the signals in the settings of the account or of any trigger. */
  includedSignals(): Set<AlertSignal> {
    const ofTriggers = this.triggers().flatMap(({ signals }) => signals ?? [])
    return new Set([...this.account().signals, ...ofTriggers])
  }

  /** Lets the settings of the account apply to the trigger again. */
  reset(triggerId: string): void {
    this.#sql.exec('DELETE FROM alert_settings WHERE scope = ?', triggerId)
  }

  #row(scope: string): Row | undefined {
    return this.#sql.exec<Row>('SELECT * FROM alert_settings WHERE scope = ?', scope).toArray()[0]
  }
}

const NO_SETTINGS = { signals: null, channels: null, muted: 0, thresholds: null }

const parsedThresholds = (row: Row | undefined) => JSON.parse(row?.thresholds ?? '{}') as object

const NO_THRESHOLDS = { failure_rate: null, queue_share: null }

function toRecord(row: Row): TriggerAlertSettings {
  const { scope, signals, channels, muted } = row
  return {
    trigger_id: scope,
    signals: parsed(signals) ?? null,
    channels: parsed(channels) ?? null,
    muted: muted === 1,
    thresholds: { ...NO_THRESHOLDS, ...parsedThresholds(row) },
  }
}

const json = (values: string[] | undefined) =>
  values === undefined ? null : JSON.stringify([...new Set(values)])

function parsed<Value>(text: string | null | undefined): Value[] | undefined {
  return typeof text === 'string' ? (JSON.parse(text) as Value[]) : undefined
}
