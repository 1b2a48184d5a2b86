import { runInDurableObject } from 'cloudflare:test'
import type { EventRules } from '../../../edge/queue/event-rules.ts'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../../drizzle/trigger-queue/migrations.js'
import { Deliveries } from '../../../edge/queue/deliveries.ts'
import type { ScheduleFiring } from '../../../edge/queue/firing.ts'
import { Intake } from '../../../edge/queue/intake.ts'
import { QueueSize } from '../../../edge/queue/queue-size.ts'
import { RunStore } from '../../../edge/queue/run-store.ts'
import * as schema from '../../../edge/queue/schema.ts'
import { TriggerState } from '../../../edge/queue/trigger-state.ts'
import { PendingReports } from '../../../edge/reports/pending-reports.ts'
import { SkippedTicks } from '../../../edge/schedule/skipped-ticks.ts'
import { Ticks } from '../../../edge/schedule/ticks.ts'
import type { ScheduleConfig } from '../../../edge/schedule/schedule-config.ts'
import type { TriggerOptions } from '../../../shared/wire/trigger.ts'
import { CID, queueOf, random, unknownTriggerId } from '../app.ts'
import { rulesOf } from '../queue/seeded.ts'
import { noSource } from '../queue/no-source.ts'

type Scheduled = ScheduleConfig & {
  from: number
  options?: TriggerOptions
  maxQueuedRuns?: number
}

/** Runs the ticks of a schedule with the real storage of a Durable Object and a clock that the test controls. */
export async function simulateSchedule(
  scheduled: Scheduled,
  test: (sim: TickSimulation) => void | Promise<void>,
): Promise<void> {
  const id = await unknownTriggerId()
  // The object itself does not know of the trigger in its storage.
  await runInDurableObject(queueOf(id), async (_, { storage }) => {
    const db = drizzle(storage, { schema })
    await migrate(db, migrations)
    const { from, options = {}, maxQueuedRuns = 10_000, ...config } = scheduled
    const trigger = {
      triggerId: id,
      ownerId: 'owner',
      name: 'simulated',
      kind: 'schedule' as const,
      config,
      options,
      enabled: true,
      actionCode: 'code',
      actionCid: CID,
      defaultParams: {},
      maxRunsPerMinute: 6_000,
      sealedUsageKey: random(32),
      version: 1,
    }
    new TriggerState(storage, db).create({ ...trigger, maxQueuedRuns }, from)
    await test(new TickSimulation(storage, from))
  })
}

export class TickSimulation {
  readonly storage: DurableObjectStorage
  now: number
  state!: TriggerState
  rules!: EventRules
  #ticks!: Ticks
  /** Makes storage fail at the end of the next transaction, as if the object were killed there. */
  failing = false

  constructor(storage: DurableObjectStorage, now: number) {
    this.storage = storage
    this.now = now
    this.restart()
  }

  /** Restarts the object with its stored state. */
  restart(): void {
    const db = drizzle(this.storage, { schema })
    const store = new RunStore(this.storage, db)
    const live = new QueueSize()
    live.load(store.queuedTotals())
    this.state = new TriggerState(this.storage, db)
    this.state.load()
    const { collected, counts, rules } = rulesOf(
      { state: this.state, store, sql: this.storage.sql },
      () => this.now,
    )
    this.rules = rules
    const intake = new Intake({
      collected,
      counts,
      rules,
      state: this.state,
      store,
      queueSize: live,
      random,
      deliveries: new Deliveries(this.storage.sql),
      gate: noSource,
      now: () => this.now,
      transaction: (work) =>
        this.storage.transactionSync(() => {
          work()
          if (this.failing) throw new Error('killed')
        }),
      sync: async () => {},
      inserted: () => {},
      committed: () => {},
      immediateStarts: () => undefined,
      adopt: () => {},
      expectDue: () => {},
    })
    const skipped = new SkippedTicks(db)
    this.#ticks = new Ticks({
      state: this.state,
      intake,
      skipped,
      reports: new PendingReports(this.storage.sql),
      rules,
      onWoken: () => this.woken++,
      onTicked: () => this.reported++,
      log: () => {},
    })
  }

  /** The time for which the object set its alarm. */
  alarmAt: number | undefined
  /** Number of times that the object was woken shortly before a tick. */
  woken = 0
  /** Number of ticks that were reported to the scanner. */
  reported = 0

  /** Problems that were reported to the owner, oldest first. */
  reports() {
    return new PendingReports(this.storage.sql).oldest(100).map(({ report }) => report)
  }

  /** Runs the alarm handler at a time. @returns the time of the next tick */
  look(at: number): number | undefined {
    this.now = at
    this.alarmAt = this.#ticks.runDue(at)
    this.#ticks.reportDue()
    return this.alarmAt === undefined ? undefined : this.state.current!.nextTickAt!
  }

  /** Returns the nominal times of the runs, in queue order. */
  fired(): number[] {
    const rows = this.storage.sql.exec<{ firing: string }>(
      'SELECT firing FROM runs ORDER BY sequence',
    )
    return rows.toArray().map(({ firing }) => (JSON.parse(firing) as ScheduleFiring).scheduledAt)
  }

  skipped() {
    const columns = 'reason, count, scheduled_at, recorded_at'
    return this.storage.sql.exec(`SELECT ${columns} FROM skipped_ticks ORDER BY id`).toArray()
  }
}
