import { DurableObject } from 'cloudflare:workers'
import { drizzle as overD1 } from 'drizzle-orm/d1'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../drizzle/trigger-queue/migrations.js'
import type { RunRecord, TriggerRecord } from '../../shared/wire/trigger.ts'
import * as indexSchema from '../db/schema.ts'
import { type Env, settingsOf } from '../env.ts'
import { dropIndexRow, putIndexRow } from '../triggers/trigger-index.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'
import { Alarm } from './alarm.ts'
import { Dispatcher } from './dispatcher.ts'
import { History, type PageQuery } from './history.ts'
import { IndexRow } from './index-row.ts'
import { type Accepted, Intake } from './intake.ts'
import { LiveCounts } from './live-counts.ts'
import { triggerRecord } from './records.ts'
import { type QueueDatabase, RunStore } from './run-store.ts'
import * as schema from './schema.ts'
import { type NewTrigger, type TriggerChange, TriggerState } from './trigger-state.ts'

/** A queued run that nothing else woke the object for is looked at after this. */
const SAFETY_ALARM_MS = 1_000

/**
 * One trigger: its record, the intake of its firings, its queue and its history. The object is the truth of the
 * trigger (`DESIGN.md`); D1 is the index that lists are made from. This class puts the parts together.
 */
export class TriggerQueue extends DurableObject<Env> {
  readonly #db: QueueDatabase
  readonly #store: RunStore
  readonly #state: TriggerState
  readonly #live = new LiveCounts()
  readonly #intake: Intake
  readonly #dispatcher: Dispatcher
  readonly #history: History
  readonly #indexRow: IndexRow
  readonly #alarm: Alarm

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#db = drizzle(ctx.storage, { schema })
    this.#store = new RunStore(ctx.storage, this.#db)
    this.#state = new TriggerState(ctx.storage, this.#db)
    this.#history = new History(this.#store)
    const log = (event: string, facts: Record<string, string | number>) =>
      console.log(JSON.stringify({ event, trigger: this.#state.current?.triggerId, ...facts }))
    this.#intake = new Intake({
      state: this.#state,
      store: this.#store,
      live: this.#live,
      now: Date.now,
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      sync: () => ctx.storage.sync(),
      inserted: () => this.#alarm.armBy(Date.now() + SAFETY_ALARM_MS),
      committed: () => this.#alarm.guarded('dispatcher', Date.now(), () => this.#dispatcher.pump()),
    })
    this.#dispatcher = new Dispatcher({
      store: this.#store,
      state: this.#state,
      origin: new SealedOrigin(env, Date.now),
      now: Date.now,
      random: Math.random,
      keepAlive: (work) => ctx.waitUntil(work),
      armBy: (at) => this.#alarm.armBy(at),
      queueChanged: (change, run) => this.#live.count(change, run.bodyBytes),
      log,
    })
    const index = overD1(env.DB, { schema: indexSchema })
    this.#indexRow = new IndexRow({
      state: this.#state,
      record: () => this.#record(),
      put: (ownerId, record, version) => putIndexRow(index, ownerId, record, version),
      drop: (triggerId) => dropIndexRow(index, this.#state.row!.ownerId, triggerId),
      dropped: async () => {
        await ctx.storage.deleteAll()
        this.#state.forget()
      },
      log,
    })
    const keepAlive = (work: Promise<void>) => ctx.waitUntil(work)
    this.#alarm = new Alarm(
      ctx.storage,
      [
        { name: 'dispatcher', tend: () => this.#dispatcher.tend() },
        { name: 'index', tend: (now) => this.#indexRow.tend(now, keepAlive) },
      ],
      log,
    )
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  /** Stores a new trigger, and then tells the index. */
  async create(trigger: NewTrigger): Promise<TriggerRecord> {
    await migrate(this.#db, migrations)
    this.#state.create(trigger, Date.now())
    return this.#changed()
  }

  /** The trigger, for its owner; anybody else's question is answered like one for an unknown id. */
  async read(ownerId: string): Promise<TriggerRecord | undefined> {
    return this.#owned(ownerId) ? this.#record() : undefined
  }

  /** Changes what its owner may change. @returns the new record; `undefined` where there is none for this owner */
  async change(ownerId: string, change: TriggerChange): Promise<TriggerRecord | undefined> {
    if (!this.#owned(ownerId)) return undefined
    this.#state.change(change, Date.now())
    return this.#changed()
  }

  /**
   * Queues a run for a firing. It is on disk when this returns `queued`.
   * @param firing JSON of `Firing`
   */
  async accept(firing: string, body: Uint8Array): Promise<Accepted> {
    return this.#intake.accept({ firing, body })
  }

  /** A page of the history, newest first, as JSON text. */
  async runs(ownerId: string, page: PageQuery): Promise<ReadableStream<Uint8Array> | undefined> {
    const trigger = this.#owned(ownerId)
    return trigger && this.#history.page(trigger.triggerId, page)
  }

  /** One run with its whole input. */
  async run(ownerId: string, runId: string): Promise<RunRecord | undefined> {
    const trigger = this.#owned(ownerId)
    return trigger && this.#history.run(trigger.triggerId, runId)
  }

  /** Deletes the trigger, its history and its sealed key. @returns false where there was none for this owner */
  async remove(ownerId: string): Promise<boolean> {
    if (!this.#owned(ownerId)) return false
    this.#state.remove(Date.now())
    this.#alarm.armBy(Date.now())
    await this.#indexRow.write()
    return true
  }

  override async alarm(): Promise<void> {
    this.#alarm.fired(Date.now())
  }

  async #open(): Promise<void> {
    const tables = this.ctx.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trigger'")
      .toArray()
    // An object that no trigger was made in stays empty: reading an unknown id costs no storage.
    if (tables.length === 0) return
    await migrate(this.#db, migrations)
    await this.#alarm.load()
    this.#state.load()
    this.#live.begin(this.#store.liveCounts())
  }

  /** After a change of the record: what it lets begin, and the index. */
  async #changed(): Promise<TriggerRecord> {
    const now = Date.now()
    this.#alarm.fired(now)
    await this.#indexRow.write()
    return this.#record()
  }

  #owned(ownerId: string) {
    const trigger = this.#state.current
    return trigger?.ownerId === ownerId ? trigger : undefined
  }

  #record(): TriggerRecord {
    const trigger = this.#state.current
    if (!trigger) throw new Error('there is no trigger in this object')
    const revision = this.#store.revision(trigger.revision)
    return triggerRecord(trigger, revision, settingsOf(this.env).PUBLIC_URL)
  }
}
