import { describeChange, snapshotOf, type ChangeSnapshot } from '../audit-log/describe-change.ts'
import {
  BY_OPERATOR,
  type ChangeOrigin,
  type TriggerChangedReport,
} from '../audit-log/trigger-change.ts'
import { DurableObject } from 'cloudflare:workers'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../drizzle/trigger-queue/migrations.js'
import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import { REPLAY_QUEUE_SHARE, TICK_LATE_MS } from '../../shared/limits.ts'
import type { TriggerAlertThresholds } from '../../shared/wire/alert.ts'
import type { RecentEvent } from '../../shared/wire/preview.ts'
import type { ReplayCode } from '../../shared/wire/run.ts'
import type { Tail } from '../../shared/wire/tail.ts'
import type {
  HandshakeSender,
  RunRecord,
  RunStatus,
  TriggerOptions,
  TriggerRecord,
} from '../../shared/wire/trigger.ts'
import type { DeliveryResponse, LogDelivery } from '../chain/subscription.ts'
import { type Env, settingsOf } from '../env.ts'
import { type ReplayBatch, type ReplayBatchResult, replayBatch } from '../replays/replay-batch.ts'
import type { VisitResult } from '../schedule/scan.ts'
import { wakeScanner } from '../schedule/wake-scanner.ts'
import type { RunOutcome } from './held-responses.ts'
import type { AlertResult, IntakeResult, WebhookPost, WebhookResult } from './intake.ts'
import {
  alertArrival,
  type AlertEvent,
  replayArrival,
  type TestRun,
  testArrival,
} from './owner-firings.ts'
import { evaluateRecentEvents } from './recent-events.ts'
import { parseTriggerOptions, webhookUrlOf } from './records.ts'
import { planSourceChange } from '../sources/source-change.ts'
import type { PageQuery } from './run-pages.ts'
import type { ChartRange, TriggerSnapshot } from './trigger-snapshot.ts'
import type { ChangeResult, TriggerObject, TriggerStatus } from './trigger-object.ts'
import { type NewTrigger, type TriggerChange } from './trigger-state.ts'
import { type KnownHead, planSubscriptionChange } from './subscription-change.ts'
import { type TriggerParts, triggerParts } from './trigger-parts.ts'

/**
 * Durable Object of one trigger, and the source of truth for it. D1 is only an index for lists (`docs/decisions/0019`).
 * `triggerParts` creates the components that do the work.
 */
export class TriggerQueue extends DurableObject<Env> implements TriggerObject {
  #parts: TriggerParts

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#parts = triggerParts(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  async create(trigger: NewTrigger, by?: ChangeOrigin): Promise<TriggerRecord> {
    // An operator can restore a deleted trigger while the object still has its runs, code and statistics in memory.
    if (!this.#parts.state.row) this.#parts = triggerParts(this.ctx, this.env)
    await migrate(this.#parts.db, migrations)
    await this.#parts.rules.prepare({ options: JSON.stringify(trigger.options) })
    this.#parts.state.create(trigger, Date.now())
    if (by) this.#logChange('create_trigger', by, undefined, this.#snapshot())
    await this.#afterChange()
    return this.#currentRecord()
  }

  async read(ownerId: string): Promise<TriggerRecord | undefined> {
    return this.#ownedTrigger(ownerId) ? this.#currentRecord() : undefined
  }

  async kindAndAction(ownerId: string) {
    const trigger = this.#ownedTrigger(ownerId)
    if (!trigger) return undefined
    const { source } = parseTriggerOptions(trigger)
    const { actionCid } = this.#parts.state
    return { kind: trigger.kind, actionCid, ...(source === undefined ? {} : { source }) }
  }

  async setAlertThresholds(ownerId: string, thresholds: TriggerAlertThresholds): Promise<boolean> {
    if (!this.#ownedTrigger(ownerId)) return false
    this.#parts.state.updateFields({
      failureRateThreshold: thresholds.failure_rate,
      queueShareThreshold: thresholds.queue_share,
    })
    return true
  }

  async sealedUsageKey(ownerId: string): Promise<Uint8Array | undefined> {
    const trigger = this.#ownedTrigger(ownerId)
    return trigger && this.#parts.state.sealedUsageKey(trigger.usageKey)
  }

  async change(
    ownerId: string,
    change: TriggerChange,
    head?: KnownHead,
    by?: ChangeOrigin,
  ): Promise<ChangeResult | undefined> {
    if (change.options) await this.#parts.rules.prepare({ options: JSON.stringify(change.options) })
    const trigger = this.#ownedTrigger(ownerId)
    if (!trigger) return undefined
    if (trigger.suspendedFrom !== null && change.enabled !== undefined)
      return { state: 'suspended' }
    const { watch } = this.#parts.state
    const next = watch && planSubscriptionChange(trigger, watch, change, head)
    if (next?.state === 'asks_head' || next?.state === 'start_too_early') return next
    // A tick that is already due must fire with the configuration from before the change.
    if (trigger.nextTickAt !== null) this.#parts.alarm.runTasks(Date.now())
    const stored = { source: parseTriggerOptions(trigger).source, sealed: trigger.webhookSecret }
    const secret = planSourceChange(stored, change.options, change.secret)
    if (secret.state === 'secret_required' || secret.state === 'source_required') return secret
    const sealed = secret.state === 'set' ? secret.sealed : undefined
    const before = this.#snapshot()
    const changed = this.#parts.state.change(change, Date.now(), next?.watch, sealed)
    if (by && changed) this.#logChange('change_trigger', by, before, this.#snapshot())
    if (trigger.disabledReason !== null && change.enabled) this.#reportDisabled('resolved')
    if (changed) await this.#afterChange()
    // The trigger may have been deleted while the index was updated.
    return this.#ownedTrigger(ownerId) && { state: 'changed', record: this.#currentRecord() }
  }

  async suspend(): Promise<boolean> {
    if (!this.#parts.state.current) return false
    const before = this.#snapshot()
    this.#parts.state.suspend(Date.now())
    this.#logChange('change_trigger', BY_OPERATOR, before, this.#snapshot())
    this.#reportDisabled('open')
    await this.#afterChange()
    return true
  }

  async liftSuspension() {
    if (!this.#parts.state.current) return undefined
    const before = this.#snapshot()
    const from = this.#parts.state.liftSuspension(Date.now())
    this.#logChange('change_trigger', BY_OPERATOR, before, this.#snapshot())
    if (from !== null) this.#reportDisabled('resolved')
    await this.#afterChange()
    return { from }
  }

  async status(): Promise<TriggerStatus | undefined> {
    const { current } = this.#parts.state
    if (!current) return undefined
    const { ownerId, kind, enabled, suspendedFrom } = current
    return { ownerId, kind, enabled, isSuspended: suspendedFrom !== null }
  }

  async deliverLogs(delivery: LogDelivery): Promise<DeliveryResponse> {
    return this.#parts.logs.deliver(delivery)
  }

  async accept(post: WebhookPost): Promise<WebhookResult> {
    return this.#parts.intake.acceptWebhook(post)
  }

  async awaitOutcome(runId: string, waitMs: number): Promise<RunOutcome> {
    if (!this.#parts.state.current) return { state: 'pending' }
    return this.#parts.heldResponses.wait(runId.slice(TRIGGER_ID_CHARACTERS), waitMs)
  }

  async handshake(crcToken?: string) {
    const options = this.#parts.intake.webhookOptions()
    if (!options) return undefined
    const sender: HandshakeSender | null = options.handshake ?? null
    const reply =
      crcToken === undefined ? undefined : await this.#parts.intake.getHandshake(options, crcToken)
    return { sender, reply: reply ?? null }
  }

  async runs(ownerId: string, page: PageQuery): Promise<ReadableStream<Uint8Array> | undefined> {
    const trigger = this.#ownedTrigger(ownerId)
    return trigger && this.#parts.history.page(trigger, page)
  }

  async glance(
    ownerId: string,
    page: PageQuery,
    range?: ChartRange,
  ): Promise<TriggerSnapshot | undefined> {
    const trigger = this.#ownedTrigger(ownerId)
    if (!trigger) return undefined
    const { charts, dispatcher, history, state, statistics } = this.#parts
    return {
      ...history.summaries(trigger, page),
      enabled: trigger.enabled,
      disabledReason: trigger.disabledReason,
      waitingFor: dispatcher.waitingFor(),
      nextTickAt: trigger.nextTickAt,
      backfill: state.watch?.backfill ?? null,
      stats: statistics.read(),
      chart: range === undefined ? null : charts.read(range),
      lastFailure: history.lastFailure(),
    }
  }

  async runRange(ownerId: string, query: PageQuery) {
    const trigger = this.#ownedTrigger(ownerId)
    return trigger && this.#parts.history.range(trigger, query)
  }

  async run(ownerId: string, runId: string, waitMs = 0): Promise<RunRecord | undefined> {
    const suffix = runId.slice(TRIGGER_ID_CHARACTERS)
    if (waitMs > 0 && this.#ownedTrigger(ownerId) && this.#parts.store.hasEnded(suffix) === false)
      await this.#parts.waiters.wait(suffix, waitMs)
    // Read after the wait, because the trigger may have been deleted in the meantime.
    const trigger = this.#ownedTrigger(ownerId)
    return trigger && this.#parts.history.run(trigger.triggerId, runId)
  }

  async follow(
    ownerId: string,
    after: string | undefined,
    waitMs: number,
  ): Promise<Tail | undefined> {
    if (!this.#ownedTrigger(ownerId)) return undefined
    const tail = await this.#parts.liveTail.read(after, waitMs)
    // Checked again, because the trigger may have been deleted in the meantime.
    return this.#ownedTrigger(ownerId) && tail
  }

  async fireTest(
    ownerId: string,
    test: TestRun,
  ): Promise<IntakeResult | { state: 'takes_no_event' }> {
    const trigger = this.#ownedTrigger(ownerId)
    if (!trigger) return { state: 'unknown' }
    const { PUBLIC_URL } = settingsOf(this.env)
    const { kind, triggerId } = trigger
    const webhookUrl = webhookUrlOf(triggerId, PUBLIC_URL)
    const arrival = testArrival(test, { kind, webhookUrl }, Date.now())
    return arrival ? this.#parts.intake.accept(arrival) : { state: 'takes_no_event' }
  }

  async fireAlert(ownerId: string, alert: AlertEvent): Promise<AlertResult> {
    const trigger = this.#ownedTrigger(ownerId)
    if (!trigger) return { state: 'unknown' }
    const webhookUrl = webhookUrlOf(trigger.triggerId, settingsOf(this.env).PUBLIC_URL)
    return this.#parts.intake.acceptAlert(alertArrival(alert, webhookUrl, Date.now()))
  }

  async replay(ownerId: string, runId: string, code: ReplayCode): Promise<IntakeResult> {
    const run =
      this.#ownedTrigger(ownerId) && this.#parts.store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    if (!run) return { state: 'unknown' }
    return this.#parts.intake.accept(replayArrival(this.#parts.store, run, runId, code))
  }

  async recentEvents(ownerId: string, options: TriggerOptions): Promise<RecentEvent[] | undefined> {
    const trigger = this.#ownedTrigger(ownerId)
    const { store } = this.#parts
    return trigger && evaluateRecentEvents({ sql: this.ctx.storage.sql, store }, trigger, options)
  }

  async replayBatch(ownerId: string, batch: ReplayBatch): Promise<ReplayBatchResult> {
    const trigger = this.#ownedTrigger(ownerId)
    if (!trigger) return { state: 'unknown' }
    const { intake, queueSize, store } = this.#parts
    return replayBatch(
      {
        triggerId: trigger.triggerId,
        store,
        hasRoom: () => queueSize.queued < trigger.maxQueuedRuns * REPLAY_QUEUE_SHARE,
        accept: (arrival) => intake.accept(arrival),
      },
      batch,
    )
  }

  async runStates(
    ownerId: string,
    suffixes: readonly string[],
  ): Promise<Record<string, RunStatus> | undefined> {
    return this.#ownedTrigger(ownerId) && this.#parts.store.statuses(suffixes)
  }

  async remove(ownerId: string, by?: ChangeOrigin): Promise<boolean> {
    if (!this.#ownedTrigger(ownerId)) return false
    if (by) this.#logChange('delete_trigger', by, this.#snapshot(), undefined)
    this.#parts.state.remove(Date.now())
    this.#parts.waiters.notifyAll()
    this.#parts.liveTail.wakeAll()
    this.#parts.alarm.armBy(Date.now())
    await this.#flushOutboxes()
    return true
  }

  async cancelRun(
    ownerId: string,
    runId: string,
  ): Promise<{ state: 'cancelled' | 'not_queued' | 'unknown' }> {
    const run =
      this.#ownedTrigger(ownerId) && this.#parts.store.bySuffix(runId.slice(TRIGGER_ID_CHARACTERS))
    if (!run) return { state: 'unknown' }
    return { state: this.#parts.dispatcher.cancel(run.sequence) ? 'cancelled' : 'not_queued' }
  }

  async purge(ownerId: string): Promise<number | undefined> {
    return this.#ownedTrigger(ownerId) && this.#parts.dispatcher.purge()
  }

  async visit(indexed: number): Promise<VisitResult | undefined> {
    if (!this.#parts.state.row) return undefined
    const now = Date.now()
    const tickAt = this.#parts.state.row.nextTickAt ?? Number.POSITIVE_INFINITY
    await this.#parts.alarm.recover(now, tickAt)
    const trigger = this.#parts.state.current
    if (!trigger) return undefined
    if (trigger.version !== indexed) {
      this.#parts.state.reindex(indexed)
      this.ctx.waitUntil(this.#parts.indexOutbox.flush())
    }
    if (trigger.kind === 'chain_event') this.ctx.waitUntil(this.#parts.subscriptionOutbox.resend())
    // Read again, because `reindex` may have raised the version.
    const { version, nextTickAt } = this.#parts.state.current ?? trigger
    return { version, nextTickAt, late: tickAt <= now - TICK_LATE_MS }
  }

  override async alarm(): Promise<void> {
    this.#parts.alarm.runTasks(Date.now())
  }

  async #open(): Promise<void> {
    const tables = this.ctx.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trigger'")
      .toArray()
    // An object without a trigger stays empty, so that requests with unknown IDs do not use storage.
    if (tables.length === 0) return
    await migrate(this.#parts.db, migrations)
    await this.#parts.alarm.load()
    this.#parts.state.load()
    this.#parts.queueSize.load(this.#parts.store.queuedTotals())
    await this.#parts.rules.prepare(this.#parts.state.current)
  }

  async #afterChange(): Promise<void> {
    const now = Date.now()
    this.#parts.alarm.runTasks(now)
    // Best effort, because the isolates of the Worker and the platform's cron also wake the scanner.
    if (this.#parts.state.current?.nextTickAt)
      this.ctx.waitUntil(wakeScanner(this.env).catch(() => undefined))
    this.#parts.logs.notifyIfRoom()
    await this.#flushOutboxes()
  }

  async #flushOutboxes(): Promise<void> {
    await Promise.all([this.#parts.indexOutbox.flush(), this.#parts.subscriptionOutbox.flush()])
  }

  #reportDisabled(state: 'open' | 'resolved'): void {
    const message = this.#parts.state.current?.disabledReason ?? null
    const signal = 'trigger_disabled'
    this.#parts.reports.add({ kind: 'signal', signal, state, code: null, message })
  }

  #snapshot(): ChangeSnapshot {
    const { current, revision } = this.#parts.state
    return snapshotOf(current!, revision)
  }

  /** Must be called without an `await` between the change and this call, so that both are in one transaction. */
  #logChange(
    operation: TriggerChangedReport['operation'],
    by: ChangeOrigin,
    before: ChangeSnapshot | undefined,
    after: ChangeSnapshot | undefined,
  ): void {
    const details = describeChange(before, after)
    if (Object.keys(details.changes).length === 0) return
    this.#parts.reports.add({ kind: 'trigger_changed', operation, at: Date.now(), details, ...by })
  }

  #ownedTrigger(ownerId: string) {
    const trigger = this.#parts.state.current
    return trigger?.ownerId === ownerId ? trigger : undefined
  }

  #currentRecord(): TriggerRecord {
    const waiting_for = this.#parts.dispatcher.waitingFor()
    const backfill = this.#parts.state.watch?.backfill
    const stats = this.#parts.statistics.read()
    return { ...this.#parts.record(), waiting_for, stats, ...(backfill ? { backfill } : {}) }
  }
}
