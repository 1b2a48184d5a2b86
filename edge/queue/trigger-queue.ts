import { DurableObject } from 'cloudflare:workers'
import { drizzle as overD1 } from 'drizzle-orm/d1'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../drizzle/trigger-queue/migrations.js'
import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import type { ReplayCode } from '../../shared/wire/run.ts'
import type {
  HandshakeSender,
  RunRecord,
  TriggerOptions,
  TriggerRecord,
} from '../../shared/wire/trigger.ts'
import * as indexSchema from '../db/schema.ts'
import { readChainConfig } from '../chain/chain-config.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import { finalityOf } from '../chain/finality.ts'
import type { DeliveryAnswer, LogDelivery, Subscription } from '../chain/subscription.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import { type Env, settingsOf } from '../env.ts'
import type { Visited } from '../schedule/scan.ts'
import { ScannedRows } from '../schedule/scanned-rows.ts'
import { SkippedTicks } from '../schedule/skipped-ticks.ts'
import { Ticks } from '../schedule/ticks.ts'
import { wakeScanner } from '../schedule/wake-scanner.ts'
import { sleep } from '../sleep.ts'
import { dropIndexRow, putIndexRow } from '../triggers/trigger-index.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'
import { Alarm } from './alarm.ts'
import { type CountedRun, endedSince, liveRuns, skippedSince } from './counted-runs.ts'
import { Deliveries } from './deliveries.ts'
import { Clearing } from './clearing.ts'
import { Dispatcher } from './dispatcher.ts'
import { FiredLogs } from './fired-logs.ts'
import { History } from './history.ts'
import { IndexCheck } from './index-check.ts'
import { IndexRow } from './index-row.ts'
import { type Accepted, Intake } from './intake.ts'
import { LiveCounts } from './live-counts.ts'
import { LiveRuns } from './live-runs.ts'
import { LogIntake } from './log-intake.ts'
import { replayArrival, type TestRun, testArrival } from './owner-firings.ts'
import { Pruning } from './pruning.ts'
import { triggerRecord, webhookUrlOf } from './records.ts'
import { Retention } from './retention.ts'
import { type PageQuery, RunPages } from './run-pages.ts'
import { type QueueDatabase, RunStore } from './run-store.ts'
import { RunWaiters } from './run-waiters.ts'
import * as schema from './schema.ts'
import { StoredStarts } from './start-log.ts'
import { Statistics } from './statistics.ts'
import { type NewTrigger, type TriggerChange, TriggerState } from './trigger-state.ts'
import { type KnownHead, type WatchChange, watchChange } from './watch-change.ts'
import { WatchNote } from './watch-note.ts'
import { subscriptionOf } from './watch.ts'
import { type PostAnswer, WebhookIntake, type WebhookPost } from './webhook-intake.ts'

export type Changed =
  | { state: 'changed'; record: TriggerRecord }
  | Extract<WatchChange, { state: 'asks_head' }>

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
  readonly #webhook: WebhookIntake
  readonly #logs: LogIntake
  readonly #dispatcher: Dispatcher
  readonly #history: History
  readonly #waiters = new RunWaiters()
  readonly #statistics: Statistics
  readonly #retention: Retention
  readonly #indexRow: IndexRow
  readonly #watchNote: WatchNote
  readonly #alarm: Alarm

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#db = drizzle(ctx.storage, { schema })
    this.#store = new RunStore(ctx.storage, this.#db)
    this.#state = new TriggerState(ctx.storage, this.#db)
    const { sql } = ctx.storage
    const isThere = () => this.#state.current !== undefined
    this.#history = new History(this.#store, new RunPages(sql), isThere)
    this.#statistics = new Statistics({
      now: Date.now,
      endedSince: (time) => endedSince(sql, time),
      skippedSince: (time) => skippedSince(sql, time),
      live: () => ({ queued: this.#live.queued, ...liveRuns(sql) }),
    })
    const log = (event: string, facts: Record<string, string | number>) =>
      console.log(JSON.stringify({ event, trigger: this.#state.current?.triggerId, ...facts }))
    const deliveries = new Deliveries(ctx.storage.sql)
    const onDisk = {
      transaction: (work: () => void) => ctx.storage.transactionSync(work),
      sync: () => ctx.storage.sync(),
      inserted: () => this.#alarm.armBy(Date.now() + SAFETY_ALARM_MS),
      committed: () => this.#alarm.guarded('dispatcher', Date.now(), () => this.#dispatcher.pump()),
    }
    this.#intake = new Intake({
      ...onDisk,
      state: this.#state,
      store: this.#store,
      deliveries,
      live: this.#live,
      now: Date.now,
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    })
    this.#webhook = new WebhookIntake(this.#state, this.#intake)
    const watcher = (chain: ChainName): Watcher => env.CHAIN_WATCHER.getByName(chain)
    this.#logs = new LogIntake({
      ...onDisk,
      state: this.#state,
      store: this.#store,
      intake: this.#intake,
      fired: new FiredLogs(sql),
      live: this.#live,
      chains: () => settingsOf(env).CHAINS,
      // Best effort: the watcher comes again by itself.
      roomMade: ({ chain }, triggerId) =>
        ctx.waitUntil(
          watcher(chain)
            .roomFor(triggerId)
            .catch(() => undefined),
        ),
    })
    const starts = new StoredStarts(sql)
    const origin = new SealedOrigin(env, Date.now)
    this.#dispatcher = new Dispatcher({
      store: this.#store,
      live: new LiveRuns(ctx.storage, starts),
      starts,
      clearing: new Clearing(ctx.storage),
      state: this.#state,
      origin,
      now: Date.now,
      random: Math.random,
      keepAlive: (work) => ctx.waitUntil(work),
      armBy: (at) => this.#alarm.armBy(at),
      queueChanged: (change, run) => {
        this.#live.count(change, run.bodyBytes)
        this.#logs.queueChanged()
      },
      runEnded: (run) => this.#runEnded(run),
      log,
    })
    const index = overD1(env.DB, { schema: indexSchema })
    this.#indexRow = new IndexRow({
      state: this.#state,
      now: Date.now,
      sleep,
      record: () => this.#record(),
      put: (ownerId, record, version) => putIndexRow(index, ownerId, record, version),
      drop: (triggerId) => dropIndexRow(index, this.#state.row!.ownerId, triggerId),
      dropped: async () => {
        await this.#watchNote.told()
        await ctx.storage.deleteAll()
        this.#state.forget()
      },
      log,
    })
    this.#watchNote = new WatchNote({
      state: this.#state,
      subscription: () => this.#subscription(),
      watcher,
      now: Date.now,
      sleep,
      log,
    })
    this.#retention = new Retention({
      state: this.#state,
      pruning: new Pruning(sql),
      transaction: (work) => ctx.storage.transactionSync(work),
      isOnTheWay: (revision) => this.#intake.isOnTheWay(revision),
      armBy: (at) => this.#alarm.armBy(at),
    })
    const ticks = new Ticks({
      state: this.#state,
      intake: this.#intake,
      skipped: new SkippedTicks(this.#db),
      woken: () => ctx.waitUntil(origin.prepare()),
      log,
    })
    const rows = new ScannedRows(index)
    const indexCheck = new IndexCheck({
      state: this.#state,
      indexed: (triggerId) => rows.version(triggerId),
      write: () => this.#indexRow.write(),
      log,
    })
    const keepAlive = (work: Promise<void>) => ctx.waitUntil(work)
    this.#alarm = new Alarm(
      ctx.storage,
      [
        // Before the dispatcher, which then starts the tick's run at once.
        { name: 'ticks', tend: (now) => ticks.tend(now) },
        { name: 'dispatcher', tend: () => this.#dispatcher.tend() },
        { name: 'index', tend: (now) => this.#indexRow.tend(now, keepAlive) },
        { name: 'watch', tend: (now) => this.#watchNote.tend(now, keepAlive) },
        { name: 'index-check', tend: (now) => indexCheck.tend(now, keepAlive) },
        {
          name: 'deliveries',
          patient: true,
          tend: (now) => (this.#state.current ? deliveries.tend(now) : undefined),
        },
        { name: 'retention', patient: true, tend: (now) => this.#retention.tend(now) },
      ],
      log,
    )
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  /** Stores a new trigger, and then tells the index. */
  async create(trigger: NewTrigger): Promise<TriggerRecord> {
    await migrate(this.#db, migrations)
    this.#state.create(trigger, Date.now())
    await this.#changed()
    return this.#shown()
  }

  /** The trigger, for its owner; anybody else's question is answered like one for an unknown id. */
  async read(ownerId: string): Promise<TriggerRecord | undefined> {
    return this.#owned(ownerId) ? this.#shown() : undefined
  }

  /** What a change of the trigger is checked against. */
  async kindAndAction(ownerId: string) {
    const trigger = this.#owned(ownerId)
    return trigger && { kind: trigger.kind, actionCid: this.#state.actionCid }
  }

  /**
   * Changes what its owner may change.
   * @param head of the chain that a chain event begins on, where this has been asked for
   * @returns `undefined` where there is no trigger for this owner; nothing was changed where the head is asked for
   */
  async change(
    ownerId: string,
    change: TriggerChange,
    head?: KnownHead,
  ): Promise<Changed | undefined> {
    const trigger = this.#owned(ownerId)
    if (!trigger) return undefined
    const { watch } = this.#state
    const next = watch && watchChange(trigger, watch, change, head)
    if (next?.state === 'asks_head') return next
    // A tick that is due is owed as the trigger was until now.
    if (trigger.nextTickAt !== null) this.#alarm.fired(Date.now())
    if (this.#state.change(change, Date.now(), next?.watch)) await this.#changed()
    // It may have been deleted while the index was told.
    return this.#owned(ownerId) && { state: 'changed', record: this.#shown() }
  }

  /**
   * What the watcher of its chain tells: runs are made and marked, and on disk when this returns `taken`. Told twice, it
   * is done once.
   */
  async deliverLogs(delivery: LogDelivery): Promise<DeliveryAnswer> {
    return this.#logs.deliver(delivery)
  }

  /** Takes a POST to the webhook. Its run is on disk when this returns `queued`. */
  async accept(post: WebhookPost): Promise<PostAnswer> {
    return this.#webhook.accept(post)
  }

  /** Whose handshake this webhook answers in its own way; `undefined` where there is no webhook. */
  async handshake(): Promise<{ sender: HandshakeSender | null } | undefined> {
    const options = this.#webhook.options()
    return options && { sender: options.handshake ?? null }
  }

  /** A page of the history, newest first, as JSON text. */
  async runs(ownerId: string, page: PageQuery): Promise<ReadableStream<Uint8Array> | undefined> {
    const trigger = this.#owned(ownerId)
    return trigger && this.#history.page(trigger, page)
  }

  /** One run with its whole input. @param waitMs so long the answer may wait for the run's end */
  async run(ownerId: string, runId: string, waitMs = 0): Promise<RunRecord | undefined> {
    const suffix = runId.slice(TRIGGER_ID_CHARACTERS)
    if (waitMs > 0 && this.#owned(ownerId) && this.#store.hasEnded(suffix) === false)
      await this.#waiters.wait(suffix, waitMs)
    // Looked up only now: it may have been deleted meanwhile.
    const trigger = this.#owned(ownerId)
    return trigger && this.#history.run(trigger.triggerId, runId)
  }

  /** Queues a run on trial. It is on disk when this returns `queued`. */
  async fireTest(ownerId: string, test: TestRun): Promise<Accepted | { state: 'takes_no_event' }> {
    const trigger = this.#owned(ownerId)
    if (!trigger) return { state: 'unknown' }
    const { PUBLIC_URL } = settingsOf(this.env)
    const { kind, triggerId } = trigger
    const webhookUrl = webhookUrlOf(triggerId, PUBLIC_URL)
    const arrival = testArrival(test, { kind, webhookUrl }, Date.now())
    return arrival ? this.#intake.accept(arrival) : { state: 'takes_no_event' }
  }

  /** Queues a run's event again. It is on disk when this returns `queued`. */
  async replay(ownerId: string, runId: string, code: ReplayCode): Promise<Accepted> {
    const run = this.#owned(ownerId) && this.#store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    if (!run) return { state: 'unknown' }
    return this.#intake.accept(replayArrival(this.#store, run, runId, code))
  }

  /** Deletes the trigger, its history and its sealed key. @returns false where there was none for this owner */
  async remove(ownerId: string): Promise<boolean> {
    if (!this.#owned(ownerId)) return false
    this.#state.remove(Date.now())
    this.#waiters.closed()
    this.#alarm.armBy(Date.now())
    await this.#told()
    return true
  }

  /** Ends a run that is queued as cancelled. */
  async cancelRun(
    ownerId: string,
    runId: string,
  ): Promise<{ state: 'cancelled' | 'not_queued' | 'unknown' }> {
    const run = this.#owned(ownerId) && this.#store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    if (!run) return { state: 'unknown' }
    return { state: this.#dispatcher.cancel(run.sequence) ? 'cancelled' : 'not_queued' }
  }

  /** Ends all queued runs as cancelled. @returns how many there were; `undefined` where there is no trigger */
  async purge(ownerId: string): Promise<number | undefined> {
    return this.#owned(ownerId) && this.#dispatcher.purge()
  }

  /**
   * The scanner looks: what a lost alarm left undone is done, and an index that knows another version is told.
   * @param indexed the version that the index has
   * @returns `undefined` where there is no trigger
   */
  async visit(indexed: number): Promise<Visited | undefined> {
    if (!this.#state.row) return undefined
    const now = Date.now()
    await this.#alarm.recover(now, this.#state.row.nextTickAt ?? Number.POSITIVE_INFINITY)
    const trigger = this.#state.current
    if (!trigger) return undefined
    if (trigger.version !== indexed) {
      this.#state.reindex(indexed)
      this.ctx.waitUntil(this.#indexRow.write())
    }
    if (trigger.kind === 'chain_event') this.ctx.waitUntil(this.#watchNote.tellAgain())
    // Reindexing may have raised its version.
    const { version, nextTickAt } = this.#state.current ?? trigger
    return { version, nextTickAt }
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

  /** After a change of the record: what it lets begin, the index, and the watcher of its chain. */
  async #changed(): Promise<void> {
    const now = Date.now()
    this.#alarm.fired(now)
    // Best effort: every isolate of the Worker, and the clock of the platform, see to it too.
    if (this.#state.current?.nextTickAt)
      this.ctx.waitUntil(wakeScanner(this.env).catch(() => undefined))
    this.#logs.queueChanged()
    await this.#told()
  }

  /** The index and the watcher have been told, or an answer waits for them no longer. */
  async #told(): Promise<void> {
    await Promise.all([this.#indexRow.write(), this.#watchNote.tell()])
  }

  /** What the watcher of its chain is asked for now. */
  #subscription(): Subscription | undefined {
    const { current, watch } = this.#state
    if (!current?.enabled || !watch) return undefined
    const usual = settingsOf(this.env).CHAINS[watch.chain]?.finality
    // Nobody watches it: it is told again when it is configured again.
    if (usual === undefined) throw new Error('the chain is not configured')
    const finality = finalityOf(JSON.parse(current.options) as TriggerOptions, usual)
    return subscriptionOf(current, watch, readChainConfig(JSON.parse(current.config)), finality)
  }

  #owned(ownerId: string) {
    const trigger = this.#state.current
    return trigger?.ownerId === ownerId ? trigger : undefined
  }

  /** Whoever waits for the run, counts it, or keeps the history short. */
  #runEnded(run: CountedRun & { suffix: string }): void {
    this.#waiters.ended(run.suffix)
    this.#statistics.ended(run)
    this.#retention.ended(run.finishedAt)
  }

  /** The record with what is true of this moment alone. */
  #shown(): TriggerRecord {
    const waiting_for = this.#dispatcher.waitingFor()
    const backfill = this.#state.watch?.backfill
    const stats = this.#statistics.read()
    return { ...this.#record(), waiting_for, stats, ...(backfill ? { backfill } : {}) }
  }

  #record(): TriggerRecord {
    const trigger = this.#state.current
    if (!trigger) throw new Error('there is no trigger in this object')
    const revision = this.#store.revision(trigger.revision)
    return triggerRecord(trigger, revision, settingsOf(this.env))
  }
}
