import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../drizzle/trigger-queue/migrations.js'
import { encodeBase64url } from '../../shared/base64url.ts'
import { RUN_SUFFIX_BYTES, TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import { QUEUED_BYTES_MAX, WEBHOOK_CONCURRENCY } from '../../shared/limits.ts'
import type { RunRecord, TriggerKind, TriggerRecord } from '../../shared/wire/trigger.ts'
import { type Env, settingsOf } from '../env.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'
import { Dispatcher } from './dispatcher.ts'
import { GroupCommit } from './group-commit.ts'
import { type RunRow, runRecord, triggerRecord, type TriggerRow } from './records.ts'
import { type ArrivedRun, type QueueDatabase, RunStore } from './run-store.ts'
import { runsPage } from './runs-page.ts'
import * as schema from './schema.ts'

export type NewTrigger = {
  triggerId: string
  ownerId: string
  name: string
  kind: TriggerKind
  config: Record<string, unknown>
  enabled: boolean
  actionCode: string
  actionCid: string
  defaultParams: Record<string, unknown>
  maxRunsPerMinute: number
  maxQueuedRuns: number
  sealedUsageKey: Uint8Array
}

export type Accepted =
  | { state: 'queued'; runId: string }
  | { state: 'unknown' }
  | { state: 'disabled' }
  | { state: 'full'; retryAfterS: number }

/** A queued run that nothing else woke the object for is looked at after this. */
const SAFETY_ALARM_MS = 1_000
/** Bodies up to this size are shown in lists; larger ones by `run` alone. */
const LISTED_BODY_BYTES = 64 * 1024

/**
 * One trigger: its record, the intake of its firings, its queue and its history. The object is the truth of the
 * trigger (`DESIGN.md`); D1 is the index that lists are made from.
 */
export class TriggerQueue extends DurableObject<Env> {
  readonly #db: QueueDatabase
  readonly #store: RunStore
  readonly #commits: GroupCommit<ArrivedRun>
  readonly #dispatcher: Dispatcher
  #trigger: TriggerRow | undefined
  /** Invariant: what is queued on disk, and what is on its way there. */
  #live = { queued: 0, queuedBytes: 0 }
  /** When the alarm fires, as far as this life of the object has set it. */
  #alarmAt = Number.POSITIVE_INFINITY

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#db = drizzle(ctx.storage, { schema })
    this.#store = new RunStore(ctx.storage, this.#db)
    this.#commits = new GroupCommit<ArrivedRun>({
      insert: (batch) => {
        this.#store.insert(batch)
        this.#armBy(Date.now() + SAFETY_ALARM_MS)
      },
      sync: () => ctx.storage.sync(),
      committed: () => this.#guarded('dispatch.failed', () => this.#dispatcher.pump()),
    })
    this.#dispatcher = new Dispatcher({
      store: this.#store,
      origin: new SealedOrigin(env, Date.now),
      trigger: () => this.#trigger,
      now: Date.now,
      random: Math.random,
      keepAlive: (work) => ctx.waitUntil(work),
      armBy: (at) => this.#armBy(at),
      queueChanged: (change, run) => this.#count(change, run.bodyBytes),
      log: (event, facts) =>
        console.log(JSON.stringify({ event, trigger: this.#trigger?.triggerId, ...facts })),
    })
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  /** Stores a new trigger, before D1 knows of it. */
  async create(trigger: NewTrigger): Promise<TriggerRecord> {
    await migrate(this.#db, migrations)
    const now = Date.now()
    this.ctx.storage.transactionSync(() => {
      const { revision } = this.#db
        .insert(schema.revisions)
        .values({
          actionCid: trigger.actionCid,
          actionCode: trigger.actionCode,
          defaultParams: JSON.stringify(trigger.defaultParams),
        })
        .returning()
        .get()
      this.#trigger = this.#db
        .insert(schema.trigger)
        .values({
          id: 1,
          triggerId: trigger.triggerId,
          ownerId: trigger.ownerId,
          name: trigger.name,
          kind: trigger.kind,
          config: JSON.stringify(trigger.config),
          enabled: trigger.enabled,
          maxRunsPerMinute: trigger.maxRunsPerMinute,
          maxQueuedRuns: trigger.maxQueuedRuns,
          concurrency: WEBHOOK_CONCURRENCY,
          revision,
          sealedUsageKey: Buffer.from(trigger.sealedUsageKey),
          createdAt: now,
          updatedAt: now,
        })
        .returning()
        .get()
    })
    return this.#record()
  }

  /** The trigger, for its owner; anybody else's question is answered like one for an unknown id. */
  async read(ownerId: string): Promise<TriggerRecord | undefined> {
    return this.#owned(ownerId) ? this.#record() : undefined
  }

  /**
   * Queues a run for a firing. It is on disk when this returns `queued`.
   * @param firing JSON of `Firing`
   */
  async accept(firing: string, body: Uint8Array): Promise<Accepted> {
    const trigger = this.#trigger
    if (!trigger) return { state: 'unknown' }
    if (!trigger.enabled) return { state: 'disabled' }
    if (
      this.#live.queued >= trigger.maxQueuedRuns ||
      this.#live.queuedBytes + body.length > QUEUED_BYTES_MAX
    )
      return { state: 'full', retryAfterS: 60 }
    const suffix = encodeBase64url(crypto.getRandomValues(new Uint8Array(RUN_SUFFIX_BYTES)))
    this.#count(1, body.length)
    try {
      const { revision } = trigger
      await this.#commits.add({ suffix, revision, queuedAt: Date.now(), firing, body })
    } catch (error) {
      this.#count(-1, body.length)
      // Deleted while it waited for the disk.
      if (!this.#trigger) return { state: 'unknown' }
      throw error
    }
    return { state: 'queued', runId: trigger.triggerId + suffix }
  }

  /** A page of the history, newest first, as JSON text. */
  async runs(
    ownerId: string,
    page: { limit: number; offset: number },
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    if (!this.#owned(ownerId)) return undefined
    return runsPage(this.#runRecords(this.#store.page(page.limit, page.offset)))
  }

  *#runRecords(sequences: readonly number[]): Generator<RunRecord, void> {
    for (const sequence of sequences) {
      const row = this.#store.bySequence(sequence)
      const listed = row && row.bodyBytes <= LISTED_BODY_BYTES
      if (row) yield this.#runRecord(row, listed ? this.#store.body(row) : 'omitted')
    }
  }

  /** One run with its whole input. */
  async run(ownerId: string, runId: string): Promise<RunRecord | undefined> {
    if (!this.#owned(ownerId)) return undefined
    const row = this.#store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    return row && this.#runRecord(row, this.#store.body(row))
  }

  /** Deletes the trigger, its history and its sealed key. @returns false where there was none for this owner */
  async remove(ownerId: string): Promise<boolean> {
    if (!this.#owned(ownerId)) return false
    this.#trigger = undefined
    await this.ctx.storage.deleteAll()
    return true
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = Number.POSITIVE_INFINITY
    this.#guarded('alarm.failed', () => this.#dispatcher.tend())
  }

  /** What must not throw: a thrown alarm is tried six times and then lost for ever. This one comes again. */
  #guarded(event: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      console.log(JSON.stringify({ event, error: String(error).slice(0, 300) }))
      this.#armBy(Date.now() + SAFETY_ALARM_MS)
    }
  }

  async #open(): Promise<void> {
    const tables = this.ctx.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trigger'")
      .toArray()
    // An object that no trigger was made in stays empty: reading an unknown id costs no storage.
    if (tables.length === 0) return
    await migrate(this.#db, migrations)
    this.#trigger = this.#db.select().from(schema.trigger).get()
    this.#live = this.#store.liveCounts()
  }

  #armBy(at: number): void {
    if (at >= this.#alarmAt) return
    this.#alarmAt = at
    void this.ctx.storage.setAlarm(at)
  }

  #count(change: 1 | -1, bytes: number): void {
    this.#live.queued += change
    this.#live.queuedBytes += change * bytes
  }

  #owned(ownerId: string): boolean {
    return this.#trigger?.ownerId === ownerId
  }

  #record(): TriggerRecord {
    const trigger = this.#trigger
    if (!trigger) throw new Error('there is no trigger in this object')
    const revision = this.#store.revision(trigger.revision)
    return triggerRecord(trigger, revision, settingsOf(this.env).PUBLIC_URL)
  }

  #runRecord(row: RunRow, body: Uint8Array | 'omitted'): RunRecord {
    const triggerId = this.#trigger?.triggerId ?? ''
    const revision = this.#store.revision(row.revision)
    return runRecord(triggerId, row, revision, body, this.#store.result(row.sequence))
  }
}
