import { drizzle as overD1 } from 'drizzle-orm/d1'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import type { TriggerOptions, TriggerRecord } from '../../shared/wire/trigger.ts'
import * as indexSchema from '../db/schema.ts'
import { readChainEventConfig } from '../chain/chain-event-config.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import { resolveFinality } from '../chain/finality.ts'
import type { Subscription } from '../chain/subscription.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import { type Env, settingsOf } from '../env.ts'
import { ScannerIndex } from '../schedule/scanner-index.ts'
import { SkippedTicks } from '../schedule/skipped-ticks.ts'
import { Ticks } from '../schedule/ticks.ts'
import { logEvent } from '../log.ts'
import { count, flushCounts } from '../metrics/counts.ts'
import { seriesOf } from '../metrics/series.ts'
import { sleep } from '../sleep.ts'
import { dropIndexRow, putIndexRow } from '../triggers/trigger-index.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'
import { Alarm } from './alarm.ts'
import {
  type FinishedRun,
  runsEndedSince,
  countLiveRuns,
  ticksSkippedSince,
} from './statistics-queries.ts'
import { Deliveries } from './deliveries.ts'
import { QueueCancellation } from './queue-cancellation.ts'
import { Dispatcher } from './dispatcher.ts'
import { FiredLogs } from './fired-logs.ts'
import { RunHistory } from './run-history.ts'
import { IndexCheck } from './index-check.ts'
import { IndexOutbox } from './index-outbox.ts'
import { Intake } from './intake.ts'
import { QueueSize } from './queue-size.ts'
import { LiveRuns } from './live-runs.ts'
import { LogIntake } from './log-intake.ts'
import { HistoryPruner } from './history-pruner.ts'
import { toTriggerRecord } from './records.ts'
import { Retention } from './retention.ts'
import { RunCharts } from './run-charts.ts'
import { RunStore } from './run-store.ts'
import { RunWaiters } from './run-waiters.ts'
import * as schema from './schema.ts'
import { StoredStarts } from './stored-starts.ts'
import { Statistics } from './statistics.ts'
import { TriggerState } from './trigger-state.ts'
import { SubscriptionOutbox } from './subscription-outbox.ts'
import { subscriptionOf } from './subscription-state.ts'
import { WebhookIntake } from './webhook-intake.ts'

/** Fallback alarm that is set when runs are queued. It starts the runs if the object is not woken otherwise. */
const FALLBACK_ALARM_MS = 1_000

export type TriggerParts = ReturnType<typeof triggerParts>

/** Does not access storage yet. */
export function triggerParts(ctx: DurableObjectState, env: Env) {
  const queueSize = new QueueSize()
  const waiters = new RunWaiters()
  const record = (): TriggerRecord => {
    const trigger = state.current
    if (!trigger) throw new Error('this object has no trigger')
    return toTriggerRecord(trigger, store.revision(trigger.revision), settingsOf(env))
  }
  const subscription = (): Subscription | undefined => {
    const { current, watch } = state
    if (!current?.enabled || !watch) return undefined
    const defaultFinality = settingsOf(env).CHAINS[watch.chain]?.finality
    // The chain is not configured at the moment, so it has no watcher. The update stays pending until the chain is
    // configured again.
    if (defaultFinality === undefined) throw new Error('the chain is not configured')
    const finality = resolveFinality(JSON.parse(current.options) as TriggerOptions, defaultFinality)
    return subscriptionOf(
      current,
      watch,
      readChainEventConfig(JSON.parse(current.config)),
      finality,
    )
  }
  const runEnded = (run: FinishedRun & { suffix: string }): void => {
    waiters.notify(run.suffix)
    statistics.add(run)
    charts.add(run)
    retention.recordEnd(run.finishedAt)
    count(seriesOf('svc_edge_runs_ended_total', { status: run.status }))
    flushCounts(env, ctx)
  }

  const db = drizzle(ctx.storage, { schema })
  const store = new RunStore(ctx.storage, db)
  const state = new TriggerState(ctx.storage, db)
  const { sql } = ctx.storage
  const exists = () => state.current !== undefined
  const history = new RunHistory(store, sql, exists)
  const statistics = new Statistics({
    now: Date.now,
    endedSince: (time) => runsEndedSince(sql, time),
    skippedSince: (time) => ticksSkippedSince(sql, time),
    queueStatus: () => ({ queued: queueSize.queued, ...countLiveRuns(sql) }),
  })
  const charts = new RunCharts({
    now: Date.now,
    endedSince: (time) => runsEndedSince(sql, time),
  })
  const log = (event: string, facts: Record<string, string | number>) =>
    logEvent(env, event, { trigger: state.current?.triggerId, ...facts })
  const deliveries = new Deliveries(ctx.storage.sql)
  const storageHooks = {
    transaction: (work: () => void) => ctx.storage.transactionSync(work),
    sync: () => ctx.storage.sync(),
    inserted: () => alarm.armBy(Date.now() + FALLBACK_ALARM_MS),
    committed: () => alarm.runGuarded('dispatcher', Date.now(), () => dispatcher.pump()),
  }
  const intake = new Intake({
    ...storageHooks,
    state,
    store,
    deliveries,
    queueSize,
    now: Date.now,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  })
  const webhook = new WebhookIntake(state, intake)
  const watcher = (chain: ChainName): Watcher => env.CHAIN_WATCHER.getByName(chain)
  const logs = new LogIntake({
    ...storageHooks,
    state,
    store,
    intake,
    fired: new FiredLogs(sql),
    queueSize,
    chains: () => settingsOf(env).CHAINS,
    // Best effort, because the watcher also retries later.
    roomMade: ({ chain }, triggerId) =>
      ctx.waitUntil(
        watcher(chain)
          .roomFor(triggerId)
          .catch(() => undefined),
      ),
  })
  const starts = new StoredStarts(sql)
  const origin = new SealedOrigin(env, Date.now)
  const dispatcher = new Dispatcher({
    store,
    live: new LiveRuns(ctx.storage, starts),
    starts,
    cancellation: new QueueCancellation(ctx.storage),
    state,
    origin,
    now: Date.now,
    random: Math.random,
    keepAlive: (work) => ctx.waitUntil(work),
    armBy: (at) => alarm.armBy(at),
    queueChanged: (change, run) => {
      queueSize.adjust(change, run.bodyBytes)
      logs.notifyIfRoom()
    },
    runEnded: (run) => runEnded(run),
    log,
  })
  const index = overD1(env.DB, { schema: indexSchema })
  const indexOutbox = new IndexOutbox({
    state,
    now: Date.now,
    sleep,
    record,
    put: (ownerId, shown, version) => putIndexRow(index, ownerId, shown, version),
    drop: (triggerId) => dropIndexRow(index, state.row!.ownerId, triggerId),
    dropped: async () => {
      await subscriptionOutbox.flushOrThrow()
      await ctx.storage.deleteAll()
      state.forget()
    },
    log,
  })
  const subscriptionOutbox = new SubscriptionOutbox({
    state,
    subscription: () => subscription(),
    watcher,
    now: Date.now,
    sleep,
    log,
  })
  const retention = new Retention({
    state,
    pruning: new HistoryPruner(sql),
    transaction: (work) => ctx.storage.transactionSync(work),
    isBeingWritten: (revision) => intake.isBeingWritten(revision),
    armBy: (at) => alarm.armBy(at),
  })
  const ticks = new Ticks({
    state,
    intake,
    skipped: new SkippedTicks(db),
    onWoken: () => ctx.waitUntil(origin.prepare()),
    log,
  })
  const rows = new ScannerIndex(index)
  const indexCheck = new IndexCheck({
    state,
    indexedVersion: (triggerId) => rows.version(triggerId),
    write: () => indexOutbox.flush(),
    log,
  })
  const keepAlive = (work: Promise<void>) => ctx.waitUntil(work)
  const alarm = new Alarm(
    ctx.storage,
    [
      // Must come before the dispatcher, so that the run of a tick starts immediately.
      { name: 'ticks', runDue: (now) => ticks.tend(now) },
      { name: 'dispatcher', runDue: () => dispatcher.runDue() },
      { name: 'index', runDue: (now) => indexOutbox.runDue(now, keepAlive) },
      { name: 'watch', runDue: (now) => subscriptionOutbox.runDue(now, keepAlive) },
      { name: 'index-check', runDue: (now) => indexCheck.runDue(now, keepAlive) },
      {
        name: 'deliveries',
        lowPriority: true,
        runDue: (now) => (state.current ? deliveries.runDue(now) : undefined),
      },
      { name: 'retention', lowPriority: true, runDue: (now) => retention.runDue(now) },
    ],
    log,
  )
  return {
    db,
    store,
    state,
    live: queueSize,
    intake,
    webhook,
    logs,
    dispatcher,
    history,
    waiters,
    statistics,
    charts,
    indexRow: indexOutbox,
    watchNote: subscriptionOutbox,
    alarm,
    record,
  }
}
