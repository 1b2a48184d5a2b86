import { drizzle } from 'drizzle-orm/d1'
import { POLLED_SIGNALS, type PolledSignal } from '../../shared/wire/alert-signals.ts'
import {
  ALERT_CHANNELS,
  type AlertChannel,
  type AlertDeliveriesQuery,
  type AlertDelivery,
  type AlertSettingsChange,
  type AlertSettingsRecord,
  type IncidentsQuery,
  type IncidentsResponse,
  type AlertDeliveriesResponse,
  type TriggerAlertSettings,
  type TriggerAlertSettingsChange,
} from '../../shared/wire/alert.ts'
import * as indexSchema from '../db/schema.ts'
import { type Env, settingsOf } from '../env.ts'
import { hasMailer } from '../identity/choose-mailer.ts'
import { count, flushCounts } from '../metrics/counts.ts'
import { seriesOf } from '../metrics/series.ts'
import type { IncidentReport, SubjectReport } from '../reports/report.ts'
import { enabledTriggers } from '../triggers/trigger-index.ts'
import { originTrust } from '../trust/sealed-call.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'
import { AlertChannels } from './alert-channels.ts'
import { AlertDeliveries, type DueDelivery } from './alert-deliveries.ts'
import { alertMail, channelMail, testMail } from './alert-mail.ts'
import { ACCOUNT, AlertSettings } from './alert-settings.ts'
import { AttemptFailedError, UndeliverableError } from './attempt-failed-error.ts'
import { ChannelSettings } from './channel-settings.ts'
import { EvidenceWatch } from './evidence-watch.ts'
import {
  Incidents,
  type OpenedIncident,
  type SharedProblem,
  toIncidentRecord,
} from './incidents.ts'
import { KeyWatch } from './key-watch.ts'
import { createMuteToken, muteUrl } from './mute-token.ts'
import { PendingAlerts } from './pending-alerts.ts'
import { PendingMails } from './pending-mails.ts'
import { sendMail } from './send-mail.ts'
import { sendToChannel } from './send-to-channel.ts'
import { WatchedKeys } from './watched-keys.ts'

type AlertsOptions = {
  env: Env
  sql: SqlStorage
  userId: () => string
  armBy: (at: number) => void
  keepAlive: (work: Promise<unknown>) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/** Incidents of a user, and the alerts about them (`docs/decisions/0128`). Part of the user's `UserReports` object. */
export class Alerts {
  readonly channels: ChannelSettings
  readonly #options: AlertsOptions
  readonly #settings: AlertSettings
  readonly #incidents: Incidents
  readonly #channels: AlertChannels
  readonly #deliveries: AlertDeliveries
  readonly #mails: PendingMails
  readonly #pending: PendingAlerts
  readonly #evidence: EvidenceWatch
  readonly #keyWatch: KeyWatch

  constructor(options: AlertsOptions) {
    const { armBy, env, log, sql, userId } = options
    this.#options = options
    this.#settings = new AlertSettings(sql)
    this.#incidents = new Incidents(sql)
    this.#channels = new AlertChannels(sql)
    this.#deliveries = new AlertDeliveries({
      sql,
      send: (delivery) => this.#send(delivery),
      attempted: (delivery, error) => this.#attempted(delivery, error),
      random,
      now: Date.now,
      armBy,
      log,
    })
    this.#mails = new PendingMails(sql, this.#deliveries)
    this.#pending = new PendingAlerts(sql, this.#channels, this.#deliveries)
    this.#evidence = new EvidenceWatch({
      sql,
      isWanted: () => this.#wantsEvidence(),
      identity: () => originTrust(env).identity(),
      report: (report) => {
        this.recordSubject(report, Date.now())
        armBy(Date.now())
      },
      now: Date.now,
      armBy,
    })
    this.channels = new ChannelSettings({
      channels: this.#channels,
      deliveries: this.#deliveries,
      pending: this.#pending,
      macKey: () => settingsOf(env).ID_MAC_KEY,
      userId,
      random,
      onChanged: () => this.#settingsChanged(),
    })
    this.#keyWatch = new KeyWatch({
      keys: new WatchedKeys(sql),
      userId,
      enabledSignals: () => this.#polledSignals(),
      thresholds: () => this.#settings.account().thresholds,
      triggers: () => enabledTriggers(drizzle(env.DB, { schema: indexSchema }), userId()),
      sealedKey: (id) => env.TRIGGER_QUEUE.getByName(id).sealedUsageKey(userId()),
      origin: new SealedOrigin(env, Date.now),
      record: (signal, problems, now) => this.#recordShared(signal, problems, now),
      now: Date.now,
      armBy,
      log,
    })
  }

  /** Must be called in the transaction that stores the report. */
  record(trigger: { id: string; name: string }, report: IncidentReport, now: number): void {
    const opened = this.#incidents.record(trigger, report, now)
    if (opened) this.#alert(opened)
  }

  /** Must be called in a transaction. */
  recordSubject(report: SubjectReport, now: number): void {
    const opened = this.#incidents.recordSubject(report, now)
    if (opened) this.#alert(opened)
  }

  forget(triggerId: string): void {
    this.#keyWatch.forget(triggerId)
    this.#incidents.handOverShared(triggerId, (signal, hash) =>
      this.#keyWatch.triggerSharing(signal, hash),
    )
    this.#pending.discard(triggerId)
    this.#incidents.forget(triggerId)
    this.#settings.reset(triggerId)
    this.#channels.removeTrigger(triggerId)
  }

  /** Performs the work that is due. @returns the time of the next call */
  runDue(now: number): number | undefined {
    const times = [
      this.#incidents.runDue(now),
      this.#mails.runDue(now),
      this.#pending.runDue(now),
      this.#deliveries.runDue(now, this.#options.keepAlive),
      this.#evidence.runDue(now, this.#options.keepAlive),
      this.#keyWatch.runDue(now, this.#options.keepAlive),
    ].filter((time) => time !== undefined)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  settings(): AlertSettingsRecord {
    const triggers = this.#settings.triggers()
    return { ...this.#settings.account(), available_channels: this.#available(), triggers }
  }

  change(change: AlertSettingsChange): AlertSettingsRecord {
    this.#settings.change(ACCOUNT, change)
    if (change.muted === true) this.#discard()
    this.#settingsChanged()
    return this.settings()
  }

  changeTrigger(triggerId: string, change: TriggerAlertSettingsChange): TriggerAlertSettings {
    this.#settings.change(triggerId, change)
    if (change.muted === true) this.#discard(triggerId)
    this.#keyWatch.update(Date.now())
    return this.#settings.trigger(triggerId)
  }

  resetTrigger(triggerId: string): void {
    this.#settings.reset(triggerId)
    this.#keyWatch.update(Date.now())
  }

  listIncidents(query: IncidentsQuery): IncidentsResponse {
    const { page, next_cursor } = pageOf(query.limit, (limit) =>
      this.#incidents.list({ ...query, limit }),
    )
    return { incidents: page.map(toIncidentRecord), next_cursor }
  }

  listDeliveries(query: AlertDeliveriesQuery): AlertDeliveriesResponse {
    const { page, next_cursor } = pageOf(query.limit, (limit) =>
      this.#deliveries.list({ ...query, limit }),
    )
    return { deliveries: page, next_cursor }
  }

  /** @returns `undefined` if this deployment cannot use the channel */
  test(channel: AlertChannel, now: number): AlertDelivery | undefined {
    if (!this.#available().includes(channel)) return undefined
    return this.#deliveries.add({ channel, channelId: null, incidentIds: [], test: true }, now)
  }

  #settingsChanged(): void {
    this.#evidence.refresh()
    this.#keyWatch.update(Date.now())
  }

  #recordShared(signal: PolledSignal, problems: readonly SharedProblem[], now: number): void {
    const { opened, resolved } = this.#incidents.recordShared(signal, problems, now)
    for (const { triggers, ...incident } of opened)
      this.#alert(
        incident,
        triggers.map(({ id }) => id),
      )
    if (opened.length > 0 || resolved > 0) this.#options.armBy(now)
  }

  /** Sends alerts to the mailbox and the channels that receive alerts about one of the triggers. */
  #alert({ id, signal, trigger_id }: OpenedIncident, triggerIds: readonly string[] = [trigger_id]) {
    count(seriesOf('svc_edge_incidents_opened_total', { signal }))
    flushCounts(this.#options.env, { waitUntil: (work) => this.#options.keepAlive(work) })
    const receivers = new Set<number>()
    let byMail = false
    for (const triggerId of triggerIds) {
      const settings = this.#settings.effective(triggerId, signal)
      if (!settings) continue
      const { channels, includesSignal } = settings
      byMail ||= includesSignal && channels.includes('mail') && this.#canMail()
      for (const channel of this.#channels.receiversOf(triggerId, signal, includesSignal))
        receivers.add(channel.id)
    }
    if (byMail) this.#mails.add(id)
    for (const receiver of receivers) this.#pending.add(receiver, id)
  }

  #polledSignals(): Set<PolledSignal> {
    const included = this.#settings.includedSignals()
    const isEnabled = (signal: PolledSignal) =>
      included.has(signal) || this.#channels.anyWith(signal)
    return new Set(POLLED_SIGNALS.filter(isEnabled))
  }

  #wantsEvidence(): boolean {
    const { muted, signals } = this.#settings.account()
    const isWanted =
      signals.includes('evidence_changed') || this.#channels.anyWith('evidence_changed')
    return isWanted && !muted
  }

  #available(): AlertChannel[] {
    return ALERT_CHANNELS.filter((channel) => channel !== 'mail' || this.#canMail())
  }

  #canMail(): boolean {
    const settings = settingsOf(this.#options.env)
    return settings.ALERT_MAIL === 'on' && hasMailer(settings)
  }

  #discard(triggerId?: string): void {
    this.#mails.discard(triggerId)
    this.#pending.discard(triggerId)
  }

  async #send(delivery: DueDelivery): Promise<number | null> {
    const { env } = this.#options
    const userId = this.#options.userId()
    const incidents = (ids: readonly number[]) => this.#incidents.byIds(ids).map(toIncidentRecord)
    if (delivery.channel !== 'mail')
      return sendToChannel({ env, userId, channels: this.#channels, incidents }, delivery)
    await sendMail(env, userId, (recipient) => this.#mail(recipient, delivery))
    return null
  }

  async #mail(recipient: string, { channelId, incidentIds, test }: DueDelivery) {
    const { env, userId } = this.#options
    const { ID_MAC_KEY, PUBLIC_URL } = settingsOf(env)
    if (test) return testMail(recipient, PUBLIC_URL)
    if (channelId !== null) {
      const channel = this.#channels.byId(channelId)
      if (!channel) throw new UndeliverableError('The channel was deleted.')
      return channelMail(recipient, channel, PUBLIC_URL)
    }
    const incidents = this.#incidents.byIds(incidentIds).map(toIncidentRecord)
    if (incidents.length === 0) throw new UndeliverableError('The trigger was deleted.')
    const triggerId = incidents.length === 1 ? incidents[0]!.trigger_id : null
    const token = await createMuteToken(ID_MAC_KEY, { userId: userId(), triggerId }, Date.now())
    const links = { publicUrl: PUBLIC_URL, muteUrl: muteUrl(PUBLIC_URL, token) }
    return alertMail(recipient, incidents, links)
  }

  /** Tests, and failures that the channel did not cause, do not count. */
  #attempted({ channel, channelId, test }: DueDelivery, error: unknown): void {
    const result = error === undefined ? 'sent' : 'failed'
    count(seriesOf('svc_edge_alert_attempts_total', { channel, result }))
    flushCounts(this.#options.env, { waitUntil: (work) => this.#options.keepAlive(work) })
    if (channel === 'mail' || test) return
    if (error === undefined) return this.#channels.recordSuccess(channelId!, Date.now())
    const isGone = error instanceof AttemptFailedError && error.isGone
    if (error instanceof UndeliverableError && !isGone) return
    if (!this.#channels.recordFailure(channelId!, isGone, Date.now())) return
    this.#pending.discardChannel(channelId!)
    this.#options.log('alert.channel_disabled', { channel })
    if (!this.#canMail()) return
    const mail = { channel: 'mail' as const, channelId, incidentIds: [], test: false }
    this.#deliveries.add(mail, Date.now())
  }
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

/** Reads one row more than requested, to find out whether there is a next page. */
function pageOf<Row extends { id: number }>(limit: number, read: (limit: number) => Row[]) {
  const rows = read(limit + 1)
  const page = rows.slice(0, limit)
  return { page, next_cursor: rows.length > limit ? String(page.at(-1)!.id) : null }
}
