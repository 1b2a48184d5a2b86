import { drizzle } from 'drizzle-orm/d1'
import { eq } from 'drizzle-orm'
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
} from '../../shared/wire/alert.ts'
import * as schema from '../db/schema.ts'
import { type Env, settingsOf } from '../env.ts'
import { chooseMailer, hasMailer } from '../identity/choose-mailer.ts'
import { MailerNotConfiguredError, MailNotSentError } from '../identity/mailer.ts'
import type { Report } from '../reports/report.ts'
import { AlertDeliveries, type DueDelivery, UndeliverableError } from './alert-deliveries.ts'
import { alertMail, testMail } from './alert-mail.ts'
import { ACCOUNT, AlertSettings } from './alert-settings.ts'
import { Incidents, toIncidentRecord } from './incidents.ts'
import { createMuteToken, muteUrl } from './mute-token.ts'
import { PendingMails } from './pending-mails.ts'

type AlertsOptions = {
  env: Env
  sql: SqlStorage
  userId: () => string
  armBy: (at: number) => void
  keepAlive: (work: Promise<void>) => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/** Incidents of a user, and the alerts about them (`docs/decisions/0128`). Part of the user's `UserReports` object. */
export class Alerts {
  readonly #options: AlertsOptions
  readonly #settings: AlertSettings
  readonly #incidents: Incidents
  readonly #deliveries: AlertDeliveries
  readonly #mails: PendingMails

  constructor(options: AlertsOptions) {
    const { armBy, log, sql } = options
    this.#options = options
    this.#settings = new AlertSettings(sql)
    this.#incidents = new Incidents(sql)
    const send = (delivery: DueDelivery) => this.#send(delivery)
    this.#deliveries = new AlertDeliveries({ sql, send, now: Date.now, armBy, log })
    this.#mails = new PendingMails(sql, this.#deliveries)
  }

  /** Must be called in the transaction that stores the report. */
  record(trigger: { id: string; name: string }, report: Report, now: number): void {
    const opened = this.#incidents.record(trigger, report, now)
    if (!opened) return
    const channels = this.#settings.channelsFor(trigger.id, opened.signal)
    if (channels.includes('mail') && this.#available().includes('mail')) this.#mails.add(opened.id)
  }

  forget(triggerId: string): void {
    this.#incidents.forget(triggerId)
    this.#settings.reset(triggerId)
  }

  /** Performs the work that is due. @returns the time of the next call */
  runDue(now: number): number | undefined {
    const times = [
      this.#incidents.runDue(now),
      this.#mails.runDue(now),
      this.#deliveries.runDue(now, this.#options.keepAlive),
    ].filter((time) => time !== undefined)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  settings(): AlertSettingsRecord {
    const triggers = this.#settings.triggers()
    return { ...this.#settings.account(), available_channels: this.#available(), triggers }
  }

  change(change: AlertSettingsChange): AlertSettingsRecord {
    this.#settings.change(ACCOUNT, change)
    if (change.muted === true) this.#mails.discard()
    return this.settings()
  }

  changeTrigger(triggerId: string, change: AlertSettingsChange): TriggerAlertSettings {
    this.#settings.change(triggerId, change)
    if (change.muted === true) this.#mails.discard(triggerId)
    return this.#settings.trigger(triggerId)
  }

  resetTrigger(triggerId: string): void {
    this.#settings.reset(triggerId)
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
    return this.#deliveries.add({ channel, incidentIds: [], test: true }, now)
  }

  #available(): AlertChannel[] {
    const settings = settingsOf(this.#options.env)
    const canMail = settings.ALERT_MAIL === 'on' && hasMailer(settings)
    return ALERT_CHANNELS.filter((channel) => channel !== 'mail' || canMail)
  }

  async #send(delivery: DueDelivery): Promise<void> {
    const { env, userId } = this.#options
    const settings = settingsOf(env)
    const identity = { db: drizzle(env.DB, { schema }), now: Date.now, random }
    const recipient = await this.#address(identity.db)
    const mail = delivery.test
      ? testMail(recipient, settings.PUBLIC_URL)
      : await this.#mailOf(recipient, delivery.incidentIds, userId())
    try {
      await chooseMailer(settings, identity).send(mail)
    } catch (error) {
      if (error instanceof MailerNotConfiguredError)
        throw new UndeliverableError('The deployment has no mailer.', { cause: error })
      if (error instanceof MailNotSentError && error.failure.reason === 'refused')
        throw new UndeliverableError(error.message, { cause: error })
      throw error
    }
  }

  async #mailOf(recipient: string, incidentIds: number[], userId: string) {
    const { ID_MAC_KEY, PUBLIC_URL } = settingsOf(this.#options.env)
    const incidents = this.#incidents.byIds(incidentIds).map(toIncidentRecord)
    if (incidents.length === 0) throw new UndeliverableError('The trigger was deleted.')
    const triggerId = incidents.length === 1 ? incidents[0]!.trigger_id : null
    const token = await createMuteToken(ID_MAC_KEY, { userId, triggerId }, Date.now())
    const links = { publicUrl: PUBLIC_URL, muteUrl: muteUrl(PUBLIC_URL, token) }
    return alertMail(recipient, incidents, links)
  }

  async #address(db: ReturnType<typeof drizzle<typeof schema>>): Promise<string> {
    const { users } = schema
    const row = await db
      .select({ email: users.email })
      .from(users)
      .where(eq(users.id, this.#options.userId()))
      .get()
    // The row of an erased user has no address, nor does one that was restored from a trigger.
    if (!row?.email.includes('@')) throw new UndeliverableError('The account has no address.')
    return row.email
  }
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

/** Reads one row more than requested, to find out whether there is a next page. */
function pageOf<Row extends { id: number }>(limit: number, read: (limit: number) => Row[]) {
  const rows = read(limit + 1)
  const page = rows.slice(0, limit)
  return { page, next_cursor: rows.length > limit ? String(page.at(-1)!.id) : null }
}
