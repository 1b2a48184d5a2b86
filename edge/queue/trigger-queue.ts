import { DurableObject } from 'cloudflare:workers'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../drizzle/trigger-queue/migrations.js'
import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import type { ReplayCode } from '../../shared/wire/run.ts'
import type { HandshakeSender, RunRecord, TriggerRecord } from '../../shared/wire/trigger.ts'
import type { DeliveryAnswer, LogDelivery } from '../chain/subscription.ts'
import { type Env, settingsOf } from '../env.ts'
import type { Visited } from '../schedule/scan.ts'
import { wakeScanner } from '../schedule/wake-scanner.ts'
import type { Accepted } from './intake.ts'
import { replayArrival, type TestRun, testArrival } from './owner-firings.ts'
import { webhookUrlOf } from './records.ts'
import type { PageQuery } from './run-pages.ts'
import type { ChartRange, TriggerGlance } from './trigger-glance.ts'
import { type NewTrigger, type TriggerChange } from './trigger-state.ts'
import { type KnownHead, type WatchChange, watchChange } from './watch-change.ts'
import { type PostAnswer, type WebhookPost } from './webhook-intake.ts'
import { type TriggerParts, triggerParts } from './trigger-parts.ts'

export type Changed =
  | { state: 'changed'; record: TriggerRecord }
  | Extract<WatchChange, { state: 'asks_head' }>

/**
 * One trigger: its record, the intake of its firings, its queue and its history. The object is the truth of the
 * trigger (`DESIGN.md`); D1 is the index that lists are made from. `triggerParts` puts together what does the work.
 */
export class TriggerQueue extends DurableObject<Env> {
  readonly #parts: TriggerParts

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#parts = triggerParts(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  /** Stores a new trigger, and then tells the index. */
  async create(trigger: NewTrigger): Promise<TriggerRecord> {
    await migrate(this.#parts.db, migrations)
    this.#parts.state.create(trigger, Date.now())
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
    return trigger && { kind: trigger.kind, actionCid: this.#parts.state.actionCid }
  }

  /** The key that new runs are given: nothing at the edge can open it. */
  async sealedUsageKey(ownerId: string): Promise<Uint8Array | undefined> {
    const trigger = this.#owned(ownerId)
    return trigger && this.#parts.state.sealedUsageKey(trigger.usageKey)
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
    const { watch } = this.#parts.state
    const next = watch && watchChange(trigger, watch, change, head)
    if (next?.state === 'asks_head') return next
    // A tick that is due is owed as the trigger was until now.
    if (trigger.nextTickAt !== null) this.#parts.alarm.fired(Date.now())
    if (this.#parts.state.change(change, Date.now(), next?.watch)) await this.#changed()
    // It may have been deleted while the index was told.
    return this.#owned(ownerId) && { state: 'changed', record: this.#shown() }
  }

  /**
   * What the watcher of its chain tells: runs are made and marked, and on disk when this returns `taken`. Told twice, it
   * is done once.
   */
  async deliverLogs(delivery: LogDelivery): Promise<DeliveryAnswer> {
    return this.#parts.logs.deliver(delivery)
  }

  /** Takes a POST to the webhook. Its run is on disk when this returns `queued`. */
  async accept(post: WebhookPost): Promise<PostAnswer> {
    return this.#parts.webhook.accept(post)
  }

  /** Whose handshake this webhook answers in its own way; `undefined` where there is no webhook. */
  async handshake(): Promise<{ sender: HandshakeSender | null } | undefined> {
    const options = this.#parts.webhook.options()
    return options && { sender: options.handshake ?? null }
  }

  /** A page of the history, newest first, as JSON text. */
  async runs(ownerId: string, page: PageQuery): Promise<ReadableStream<Uint8Array> | undefined> {
    const trigger = this.#owned(ownerId)
    return trigger && this.#parts.history.page(trigger, page)
  }

  /** What changes on its page: a page of its runs in lines, its counters and its state; with a range, a chart of it too. */
  async glance(
    ownerId: string,
    page: PageQuery,
    range?: ChartRange,
  ): Promise<TriggerGlance | undefined> {
    const trigger = this.#owned(ownerId)
    if (!trigger) return undefined
    const { charts, dispatcher, history, state, statistics } = this.#parts
    return {
      ...history.lines(trigger, page),
      enabled: trigger.enabled,
      disabledReason: trigger.disabledReason,
      waitingFor: dispatcher.waitingFor(),
      nextTickAt: trigger.nextTickAt,
      backfill: state.watch?.backfill ?? null,
      stats: statistics.read(),
      chart: range === undefined ? null : charts.read(range),
    }
  }

  /** One run with its whole input. @param waitMs so long the answer may wait for the run's end */
  async run(ownerId: string, runId: string, waitMs = 0): Promise<RunRecord | undefined> {
    const suffix = runId.slice(TRIGGER_ID_CHARACTERS)
    if (waitMs > 0 && this.#owned(ownerId) && this.#parts.store.hasEnded(suffix) === false)
      await this.#parts.waiters.wait(suffix, waitMs)
    // Looked up only now: it may have been deleted meanwhile.
    const trigger = this.#owned(ownerId)
    return trigger && this.#parts.history.run(trigger.triggerId, runId)
  }

  /** Queues a run on trial. It is on disk when this returns `queued`. */
  async fireTest(ownerId: string, test: TestRun): Promise<Accepted | { state: 'takes_no_event' }> {
    const trigger = this.#owned(ownerId)
    if (!trigger) return { state: 'unknown' }
    const { PUBLIC_URL } = settingsOf(this.env)
    const { kind, triggerId } = trigger
    const webhookUrl = webhookUrlOf(triggerId, PUBLIC_URL)
    const arrival = testArrival(test, { kind, webhookUrl }, Date.now())
    return arrival ? this.#parts.intake.accept(arrival) : { state: 'takes_no_event' }
  }

  /** Queues a run's event again. It is on disk when this returns `queued`. */
  async replay(ownerId: string, runId: string, code: ReplayCode): Promise<Accepted> {
    const run =
      this.#owned(ownerId) && this.#parts.store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    if (!run) return { state: 'unknown' }
    return this.#parts.intake.accept(replayArrival(this.#parts.store, run, runId, code))
  }

  /** Deletes the trigger, its history and its sealed key. @returns false where there was none for this owner */
  async remove(ownerId: string): Promise<boolean> {
    if (!this.#owned(ownerId)) return false
    this.#parts.state.remove(Date.now())
    this.#parts.waiters.closed()
    this.#parts.alarm.armBy(Date.now())
    await this.#told()
    return true
  }

  /** Ends a run that is queued as cancelled. */
  async cancelRun(
    ownerId: string,
    runId: string,
  ): Promise<{ state: 'cancelled' | 'not_queued' | 'unknown' }> {
    const run =
      this.#owned(ownerId) && this.#parts.store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    if (!run) return { state: 'unknown' }
    return { state: this.#parts.dispatcher.cancel(run.sequence) ? 'cancelled' : 'not_queued' }
  }

  /** Ends all queued runs as cancelled. @returns how many there were; `undefined` where there is no trigger */
  async purge(ownerId: string): Promise<number | undefined> {
    return this.#owned(ownerId) && this.#parts.dispatcher.purge()
  }

  /**
   * The scanner looks: what a lost alarm left undone is done, and an index that knows another version is told.
   * @param indexed the version that the index has
   * @returns `undefined` where there is no trigger
   */
  async visit(indexed: number): Promise<Visited | undefined> {
    if (!this.#parts.state.row) return undefined
    const now = Date.now()
    await this.#parts.alarm.recover(
      now,
      this.#parts.state.row.nextTickAt ?? Number.POSITIVE_INFINITY,
    )
    const trigger = this.#parts.state.current
    if (!trigger) return undefined
    if (trigger.version !== indexed) {
      this.#parts.state.reindex(indexed)
      this.ctx.waitUntil(this.#parts.indexRow.write())
    }
    if (trigger.kind === 'chain_event') this.ctx.waitUntil(this.#parts.watchNote.tellAgain())
    // Reindexing may have raised its version.
    const { version, nextTickAt } = this.#parts.state.current ?? trigger
    return { version, nextTickAt }
  }

  override async alarm(): Promise<void> {
    this.#parts.alarm.fired(Date.now())
  }

  async #open(): Promise<void> {
    const tables = this.ctx.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trigger'")
      .toArray()
    // An object that no trigger was made in stays empty: reading an unknown id costs no storage.
    if (tables.length === 0) return
    await migrate(this.#parts.db, migrations)
    await this.#parts.alarm.load()
    this.#parts.state.load()
    this.#parts.live.begin(this.#parts.store.liveCounts())
  }

  /** After a change of the record: what it lets begin, the index, and the watcher of its chain. */
  async #changed(): Promise<void> {
    const now = Date.now()
    this.#parts.alarm.fired(now)
    // Best effort: every isolate of the Worker, and the clock of the platform, see to it too.
    if (this.#parts.state.current?.nextTickAt)
      this.ctx.waitUntil(wakeScanner(this.env).catch(() => undefined))
    this.#parts.logs.queueChanged()
    await this.#told()
  }

  /** The index and the watcher have been told, or an answer waits for them no longer. */
  async #told(): Promise<void> {
    await Promise.all([this.#parts.indexRow.write(), this.#parts.watchNote.tell()])
  }

  #owned(ownerId: string) {
    const trigger = this.#parts.state.current
    return trigger?.ownerId === ownerId ? trigger : undefined
  }

  /** The record with what is true of this moment alone. */
  #shown(): TriggerRecord {
    const waiting_for = this.#parts.dispatcher.waitingFor()
    const backfill = this.#parts.state.watch?.backfill
    const stats = this.#parts.statistics.read()
    return { ...this.#parts.record(), waiting_for, stats, ...(backfill ? { backfill } : {}) }
  }
}
