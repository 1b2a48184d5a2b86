import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../drizzle/user-reports/migrations.js'
import type { Env } from '../env.ts'
import type { LogFields } from '../../shared/service-log/line.ts'
import { logEvent } from '../log.ts'
import { Alarm } from '../queue/alarm.ts'
import { FailedRuns } from './failed-runs.ts'
import type { ReportBatch } from './report.ts'
import { Reporters } from './reporters.ts'
import type { ReportsObject } from './reports-object.ts'

/** Collects what the triggers of one user report. The Durable Object is named after the user's ID. */
export class UserReports extends DurableObject<Env> implements ReportsObject {
  readonly #reporters: Reporters
  readonly #failedRuns: FailedRuns
  readonly #alarm: Alarm
  #hasTables = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { sql } = ctx.storage
    this.#reporters = new Reporters(sql)
    this.#failedRuns = new FailedRuns(sql)
    this.#alarm = new Alarm(ctx.storage, (event, facts) => this.#log(event, facts))
    this.#alarm.setTasks([{ name: 'failed-runs', runDue: (now) => this.#failedRuns.prune(now) }])
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  async report(batch: ReportBatch): Promise<void> {
    await this.#createTables()
    this.ctx.storage.transactionSync(() => {
      for (const { report } of this.#reporters.takeNew(batch))
        this.#failedRuns.add(batch.triggerId, report)
    })
    this.#alarm.armBy(Math.max(Date.now(), this.#failedRuns.pruneAt()))
  }

  async forget(triggerId: string): Promise<void> {
    if (!this.#hasTables) return
    this.ctx.storage.transactionSync(() => {
      this.#reporters.forget(triggerId)
      this.#failedRuns.forget(triggerId)
    })
  }

  async erase(): Promise<void> {
    this.#hasTables = false
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    await this.#alarm.load()
  }

  override async alarm(): Promise<void> {
    if (this.#hasTables) this.#alarm.runTasks(Date.now())
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
