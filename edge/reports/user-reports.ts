import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../drizzle/user-reports/migrations.js'
import type {
  AlertChannel,
  AlertDeliveriesQuery,
  AlertSettingsChange,
  IncidentsQuery,
  TriggerAlertSettingsChange,
} from '../../shared/wire/alert.ts'
import type { AlertChannelChange, NewAlertChannel } from '../../shared/wire/alert-channel.ts'
import type { LogFields } from '../../shared/service-log/line.ts'
import { TriggerLog, type TriggerLogBounds } from '../audit-log/trigger-log.ts'
import type { TriggerLogPage } from '../../shared/wire/trigger-log.ts'
import { Alerts } from '../alerts/alerts.ts'
import type { Env } from '../env.ts'
import { logEvent } from '../log.ts'
import { Alarm } from '../queue/alarm.ts'
import { readErrorGroups, readFailedRuns } from '../replays/failed-run-queries.ts'
import { type ReplayParts, replayParts } from '../replays/replay-parts.ts'
import type {
  ReplayProgress,
  ReplaySelection,
  ReplaysObject,
  ReplayStart,
  SelectedRuns,
  StartResult,
} from '../replays/replays-object.ts'
import type { RequestIdentity } from '../replays/request-identity.ts'
import { FailedRuns } from './failed-runs.ts'
import type { ReportBatch, ReportReceipt, SubjectReport } from './report.ts'
import { Reporters } from './reporters.ts'
import type { ReportsObject } from './reports-object.ts'
import { readRunReferences, type RunReferences, type RunReferencesQuery } from './run-index.ts'
import { TriggerActivities } from './trigger-activities.ts'

/** Collects what the triggers of one user report, and alerts the user. The object is named after the user's ID. */
export class UserReports extends DurableObject<Env> implements ReportsObject {
  readonly #reporters: Reporters
  readonly #failedRuns: FailedRuns
  readonly #activities: TriggerActivities
  readonly #replays: ReplayParts
  readonly #alerts: Alerts
  readonly #triggerLog: TriggerLog
  readonly #alarm: Alarm
  #hasTables = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { sql } = ctx.storage
    const log = (event: string, facts: LogFields) => this.#log(event, facts)
    this.#reporters = new Reporters(sql)
    this.#failedRuns = new FailedRuns(sql)
    this.#activities = new TriggerActivities(sql)
    this.#triggerLog = new TriggerLog({
      sql,
      userId: () => ctx.id.name!,
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    })
    this.#alarm = new Alarm(ctx.storage, log)
    this.#replays = replayParts(ctx, env, { sent: () => this.#runReplays(), log })
    this.#alerts = new Alerts({
      env,
      sql,
      userId: () => ctx.id.name!,
      armBy: (at) => this.#alarm.armBy(at),
      keepAlive: (work) => ctx.waitUntil(work),
      log,
    })
    this.#alarm.setTasks([
      { name: 'failed-runs', runDue: (now) => this.#failedRuns.prune(now) },
      { name: 'replays', runDue: (now) => this.#replays.runner.runDue(now) },
      { name: 'alerts', runDue: (now) => this.#alerts.runDue(now) },
    ])
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  async report(batch: ReportBatch): Promise<ReportReceipt> {
    await this.#createTables()
    const { name, triggerId: id } = batch
    const now = Date.now()
    const knownThrough = this.ctx.storage.transactionSync(() => {
      for (const { report } of this.#reporters.takeNew(batch)) {
        if (report.kind === 'trigger_changed') {
          this.#triggerLog.append(id, report)
          continue
        }
        if (report.kind === 'run_failed') this.#failedRuns.add(id, report)
        this.#alerts.record({ id, name }, report, now)
      }
      return batch.activity ? this.#activities.record(batch, batch.activity) : null
    })
    if (batch.reports.length > 0) this.#alarm.runTasks(now)
    return { knownThrough }
  }

  async reportSubject(report: SubjectReport): Promise<void> {
    // Without tables, there is no incident to resolve.
    if (report.state === 'resolved' && !this.#hasTables) return
    await this.#createTables()
    const now = Date.now()
    this.ctx.storage.transactionSync(() => this.#alerts.recordSubject(report, now))
    this.#alarm.runTasks(now)
  }

  async forget(triggerId: string): Promise<void> {
    if (!this.#hasTables) return
    this.ctx.storage.transactionSync(() => {
      this.#reporters.forget(triggerId)
      this.#failedRuns.forget(triggerId)
      this.#activities.forget(triggerId)
      this.#alerts.forget(triggerId)
    })
  }

  async triggerActivity(triggerIds?: readonly string[]) {
    return this.#hasTables ? this.#activities.read(triggerIds) : {}
  }

  async runReferences(query: RunReferencesQuery): Promise<RunReferences> {
    if (!this.#hasTables) return { runs: [], isComplete: true }
    return readRunReferences(this.ctx.storage.sql, query)
  }

  async failedRuns(...[filter, page]: Parameters<ReplaysObject['failedRuns']>) {
    if (!this.#hasTables) return { runs: [], next: undefined }
    return readFailedRuns(this.ctx.storage.sql, filter, page)
  }

  async errorGroups(...[filter, page]: Parameters<ReplaysObject['errorGroups']>) {
    if (!this.#hasTables) return { groups: [], next: undefined }
    return readErrorGroups(this.ctx.storage.sql, filter, page)
  }

  async previewReplay(selection: ReplaySelection): Promise<SelectedRuns> {
    await this.#createTables()
    return this.#replays.replays.preview(selection)
  }

  async repeatedReplay(identity: RequestIdentity): Promise<StartResult | undefined> {
    return this.#hasTables ? this.#replays.replays.repeated(identity, Date.now()) : undefined
  }

  async startReplay(start: ReplayStart, selection: ReplaySelection): Promise<StartResult> {
    await this.#createTables()
    const started = this.#replays.replays.start(start, selection, Date.now())
    if (started.state === 'started') this.#runReplays()
    return started
  }

  async replay(id: string): Promise<ReplayProgress | undefined> {
    return this.#hasTables ? this.#replays.replays.byId(id) : undefined
  }

  async replays(page: Parameters<ReplaysObject['replays']>[0]) {
    if (!this.#hasTables) return { replays: [], next: undefined }
    return this.#replays.replays.page(page)
  }

  async runningReplays(): Promise<string[]> {
    return this.#hasTables ? this.#replays.store.unfinished().map(({ id }) => id) : []
  }

  async cancelReplay(id: string) {
    if (!this.#hasTables) return undefined
    const cancelled = this.#replays.replays.cancel(id)
    this.#runReplays()
    return cancelled
  }

  async recordReplay(triggerId: string, suffix: string, newSuffix: string): Promise<void> {
    if (this.#hasTables) this.#replays.store.recordIndividual(triggerId, suffix, newSuffix)
  }

  async erase(): Promise<void> {
    this.#hasTables = false
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    await this.#alarm.load()
  }

  async triggerLog(bounds: TriggerLogBounds): Promise<TriggerLogPage> {
    if (!this.#hasTables) return { entries: [], head: { sequence: 0, sha256: null } }
    return this.#triggerLog.page(bounds)
  }

  async alertSettings() {
    await this.#createTables()
    return this.#alerts.settings()
  }

  async changeAlertSettings(change: AlertSettingsChange) {
    await this.#createTables()
    return this.#alerts.change(change)
  }

  async changeTriggerAlerts(triggerId: string, change: TriggerAlertSettingsChange) {
    await this.#createTables()
    return this.#alerts.changeTrigger(triggerId, change)
  }

  async resetTriggerAlerts(triggerId: string) {
    await this.#createTables()
    this.#alerts.resetTrigger(triggerId)
  }

  async incidents(query: IncidentsQuery) {
    await this.#createTables()
    return this.#alerts.listIncidents(query)
  }

  async alertDeliveries(query: AlertDeliveriesQuery) {
    await this.#createTables()
    return this.#alerts.listDeliveries(query)
  }

  async testAlert(channel: AlertChannel) {
    await this.#createTables()
    return this.#alerts.test(channel, Date.now())
  }

  async alertChannels() {
    await this.#createTables()
    return this.#alerts.channels.list()
  }

  async createAlertChannel(channel: NewAlertChannel) {
    await this.#createTables()
    return this.#alerts.channels.create(channel, Date.now())
  }

  async changeAlertChannel(id: number, change: AlertChannelChange) {
    await this.#createTables()
    return this.#alerts.channels.change(id, change)
  }

  async rotateAlertSecret(id: number) {
    await this.#createTables()
    return this.#alerts.channels.rotate(id, Date.now())
  }

  async deleteAlertChannel(id: number) {
    await this.#createTables()
    return this.#alerts.channels.remove(id)
  }

  async testAlertChannel(id: number) {
    await this.#createTables()
    return this.#alerts.channels.test(id, Date.now())
  }

  override async alarm(): Promise<void> {
    if (this.#hasTables) this.#alarm.runTasks(Date.now())
  }

  #runReplays(): void {
    if (!this.#hasTables) return
    const now = Date.now()
    this.#alarm.runGuarded('replays', now, () => this.#replays.runner.runDue(now))
  }

  async #open(): Promise<void> {
    const tables = this.ctx.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'reporters'")
      .toArray()
    if (tables.length === 0) return
    await this.#createTables()
    await this.#alarm.load()
  }

  async #createTables(): Promise<void> {
    if (this.#hasTables) return
    await migrate(drizzle(this.ctx.storage), migrations)
    this.#hasTables = true
  }

  #log(event: string, facts: LogFields): void {
    logEvent(this.env, event, { user: this.ctx.id.name, ...facts })
  }
}
