import { drizzle as overD1 } from 'drizzle-orm/d1'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import * as indexSchema from '../db/schema.ts'
import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import { readChainConfig } from '../chain/chain-config.ts'
import { Rejections } from '../sources/rejections.ts'
import { SourceGate } from '../sources/source-gate.ts'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import { resolveFinality } from '../chain/finality.ts'
import type { Subscription } from '../chain/subscription.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import { type Env, settingsOf } from '../env.ts'
import { ScannerIndex } from '../schedule/scanner-index.ts'
import { SkippedTicks } from '../schedule/skipped-ticks.ts'
import { reportTick } from '../schedule/tick-reports.ts'
import { Ticks } from '../schedule/ticks.ts'
import { logEvent } from '../log.ts'
import { count, flushCounts } from '../metrics/counts.ts'
import { seriesOf } from '../metrics/series.ts'
import { PendingReports } from '../reports/pending-reports.ts'
import { REPORT_ALARM_MS, ReportOutbox } from '../reports/report-outbox.ts'
import { sleep } from '../sleep.ts'
import { RunTraces } from '../telemetry/run-traces.ts'
import { telemetryOf } from '../telemetry/telemetry.ts'
import { dropIndexRow, putIndexRow } from '../triggers/trigger-index.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'
import { Alarm } from './alarm.ts'
import { CollectedRuns } from './collected-runs.ts'
import { Deliveries } from './deliveries.ts'
import { Dispatcher } from './dispatcher.ts'
import { EventCounts } from './event-counts.ts'
import { EventRules } from './event-rules.ts'
import { FailureRate } from './failure-rate.ts'
import { FiredLogs } from './fired-logs.ts'
import { HeldResponses } from './held-responses.ts'
import { HistoryPruner } from './history-pruner.ts'
import { IndexCheck } from './index-check.ts'
import { IndexOutbox } from './index-outbox.ts'
import { Intake, type IntakeOptions } from './intake.ts'
import { type LiveRun, LiveRuns } from './live-runs.ts'
import { LiveTail } from './live-tail.ts'
import { LogIntake } from './log-intake.ts'
import { type EndedRun, QueueCancellation } from './queue-cancellation.ts'
import { QueueReports } from './queue-reports.ts'
import { QueueSize } from './queue-size.ts'
import { toTriggerRecord, parseTriggerOptions } from './records.ts'
import { Retention } from './retention.ts'
import { RunActivity } from './run-activity.ts'
import { RunCharts } from './run-charts.ts'
import { RunHistory } from './run-history.ts'
import { RunKeys } from './run-keys.ts'
import { type ImmediateStarts, RunStore } from './run-store.ts'
import { recordRunSpans } from './run-spans.ts'
import { RunWaiters } from './run-waiters.ts'
import * as schema from './schema.ts'
import { Statistics, STATS_WINDOW_MS } from './statistics.ts'
import { countLiveRuns, runsEndedSince, ticksSkippedSince } from './statistics-queries.ts'
import { StoredStarts } from './start-window.ts'
import { SubscriptionOutbox } from './subscription-outbox.ts'
import { subscriptionOf } from './subscription-state.ts'
import { TriggerState } from './trigger-state.ts'

/**
 * Delay of the fallback alarm that is set when runs are stored. It starts the runs if the object is killed and no
 * request wakes it. A shorter delay would cost more, because setting an alarm is charged as a row write.
 */
const FALLBACK_ALARM_MS = 2_000

export type TriggerParts = ReturnType<typeof triggerParts>
type Core = ReturnType<typeof coreParts>
type Log = (event: string, facts: Record<string, string | number>) => void

/**
 * Creates the components of a trigger's object in dependency order, without accessing storage.
 *
 * Intake and dispatch depend on each other: stored runs are dispatched, and the dispatcher decides which new runs start
 * at once. Therefore, the closures `startRuns` and `startAtOnce` refer to the dispatcher, which is created later. Reports
 * contain counts of runs, which also belong to a part that is created later.
 */
export function triggerParts(ctx: DurableObjectState, env: Env) {
  const core = coreParts(ctx, env, { runCounts: () => statistics.activity() })
  const { activity, alarm, counts, db, keepAlive, queueSize, record, rules, state, store } = core
  const { reportOutbox, reports } = core
  const startRuns = () => alarm.runGuarded('dispatcher', Date.now(), () => dispatcher.pump())
  const startAtOnce = {
    immediateStarts: () => {
      let starts: ImmediateStarts | undefined
      // If this fails, the runs are queued.
      alarm.runGuarded('dispatcher', Date.now(), () => void (starts = dispatcher.immediateStarts()))
      return starts
    },
    adopt: (runs: readonly LiveRun[], at: number) => dispatcher.adopt(runs, at),
    expectDue: (at: number) => dispatcher.expectDue(at),
  }
  const rejections = new Rejections({
    stored: () => state.current?.rejections ?? null,
    save: (text) => state.updateFields({ rejections: text }),
    armBy: (at) => alarm.armBy(at),
  })
  const gate = new SourceGate({
    macKey: () => settingsOf(env).ID_MAC_KEY,
    now: Date.now,
    rejections,
  })
  const origin = new SealedOrigin(env, Date.now)
  const liveTail = new LiveTail({
    origin,
    runsInProgress: (limit) => {
      const triggerId = state.current?.triggerId
      if (triggerId === undefined) return []
      return store
        .runsInProgress(limit)
        .map(({ suffix, attempt }) => ({ id: triggerId + suffix, attempt }))
    },
    isInProgress: (runId) => store.hasEnded(runId.slice(TRIGGER_ID_CHARACTERS)) === false,
    now: Date.now,
    sleep,
  })
  const { deliveries, fallback, intake, logs } = intakeParts(
    core,
    gate,
    {
      committed: startRuns,
      runsAdded: () => {
        liveTail.recordChange()
        activity.recordQueued()
      },
    },
    startAtOnce,
  )
  const { history, statistics, charts, waiters, retention, runEnded } = historyParts(
    core,
    intake,
    rejections,
    liveTail,
  )
  const dispatcher = dispatcherOf(core, origin, logs, runEnded)
  const { ticks, subscriptionOutbox, indexOutbox, indexCheck } = upkeepParts(core, intake, origin)
  alarm.setTasks([
    // The ticks task must come before the dispatcher, so that the run of a tick starts immediately.
    { name: 'ticks', runDue: (now) => ticks.runDue(now) },
    { name: 'dispatcher', runDue: () => dispatcher.runDue() },
    { name: 'fallback', runDue: fallback },
    { name: 'tick-report', runDue: () => ticks.reportDue() },
    { name: 'index', runDue: (now) => indexOutbox.runDue(now, keepAlive) },
    { name: 'watch', runDue: (now) => subscriptionOutbox.runDue(now, keepAlive) },
    { name: 'activity', runDue: (now) => activity.runDue(now) },
    { name: 'reports', runDue: (now) => reportOutbox.runDue(now, keepAlive) },
    { name: 'index-check', runDue: (now) => indexCheck.runDue(now, keepAlive) },
    {
      name: 'deliveries',
      lowPriority: true,
      runDue: (now) => (state.current ? deliveries.runDue(now) : undefined),
    },
    { name: 'event-counts', runDue: (now) => counts.runDue(now, STATS_WINDOW_MS) },
    { name: 'rejections', lowPriority: true, runDue: (now) => rejections.runDue(now) },
    { name: 'retention', lowPriority: true, runDue: (now) => retention.runDue(now) },
  ])
  return {
    db,
    store,
    state,
    queueSize,
    rules,
    alarm,
    record,
    reports,
    intake,
    logs,
    history,
    statistics,
    charts,
    waiters,
    liveTail,
    heldResponses: new HeldResponses({ store, waiters }),
    dispatcher,
    subscriptionOutbox,
    indexOutbox,
  }
}

function coreParts(
  ctx: DurableObjectState,
  env: Env,
  { runCounts }: { runCounts: () => ReturnType<Statistics['activity']> },
) {
  const { storage } = ctx
  const db = drizzle(storage, { schema })
  const store = new RunStore(storage, db)
  const state = new TriggerState(storage, db)
  const log: Log = (event, facts) =>
    logEvent(env, event, { trigger: state.current?.triggerId, ...facts })
  const alarm = new Alarm(storage, log)
  const armBy = (at: number) => alarm.armBy(at)
  const counts = new EventCounts({ sql: storage.sql, now: Date.now, armBy })
  const activity = new RunActivity({
    state,
    sql: storage.sql,
    counts: runCounts,
    now: Date.now,
    armBy,
  })
  const { reports, reportOutbox } = reportParts(
    { env, storage, waitUntil: (work) => ctx.waitUntil(work) },
    { activity, alarm, log, state },
  )
  return {
    ctx,
    env,
    db,
    sql: storage.sql,
    store,
    state,
    activity,
    reports,
    reportOutbox,
    queueReports: new QueueReports(state, reports),
    log,
    alarm,
    counts,
    rules: new EventRules({ state, store, counts }),
    queueSize: new QueueSize(),
    traces: new RunTraces(() => telemetryOf(env)?.tracer),
    transaction: (work: () => void) => storage.transactionSync(work),
    keepAlive: (work: Promise<void>) => ctx.waitUntil(work),
    watcher: (chain: ChainName): Watcher => env.CHAIN_WATCHER.getByName(chain),
    record: (): TriggerRecord => {
      const trigger = state.current
      if (!trigger) throw new Error('this object has no trigger')
      return toTriggerRecord(trigger, store.revision(trigger.revision), settingsOf(env))
    },
  }
}

function intakeParts(
  core: Core,
  gate: SourceGate,
  { committed, runsAdded }: { committed: () => void; runsAdded: () => void },
  startAtOnce: Pick<IntakeOptions, 'immediateStarts' | 'adopt' | 'expectDue'>,
) {
  const { alarm, counts, ctx, env, queueReports, queueSize, reports, rules, sql, state, store } =
    core
  const { transaction, watcher } = core
  let insertedAt = Number.NEGATIVE_INFINITY
  const storageHooks = {
    transaction,
    sync: () => ctx.storage.sync(),
    inserted: () => {
      insertedAt = Date.now()
      alarm.armBy(insertedAt + FALLBACK_ALARM_MS)
      runsAdded()
    },
    committed: () => {
      committed()
      queueReports.update(queueSize.queued, Date.now())
    },
  }
  // While runs keep arriving, the alarm sets the next one, so that the intake does not have to.
  const fallback = (now: number) =>
    state.current && now - insertedAt < FALLBACK_ALARM_MS ? now + FALLBACK_ALARM_MS : undefined
  const deliveries = new Deliveries(sql)
  const intake = new Intake({
    ...storageHooks,
    ...startAtOnce,
    state,
    store,
    deliveries,
    collected: new CollectedRuns(sql, () => state.current?.keyed === true),
    rules,
    counts,
    gate,
    queueSize,
    now: Date.now,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  })
  const logs = new LogIntake({
    ...storageHooks,
    state,
    store,
    intake,
    fired: new FiredLogs(sql),
    rules,
    queueSize,
    disable: (message) => {
      state.disable(message, Date.now())
      reports.add({
        kind: 'signal',
        signal: 'trigger_disabled',
        state: 'open',
        code: null,
        message,
      })
    },
    chains: () => settingsOf(env).CHAINS,
    // Best effort, because the watcher also retries later.
    roomMade: ({ chain }, triggerId) =>
      ctx.waitUntil(
        watcher(chain)
          .roomFor(triggerId)
          .catch(() => undefined),
      ),
  })
  return { deliveries, intake, logs, fallback }
}

function reportParts(
  { env, storage, waitUntil }: Pick<DurableObjectState, 'storage' | 'waitUntil'> & { env: Env },
  {
    activity,
    alarm,
    log,
    state,
  }: { activity: RunActivity; alarm: Alarm; log: Log; state: TriggerState },
) {
  let isScheduled = false
  const reports = new PendingReports(storage.sql, () => {
    alarm.armBy(Date.now() + REPORT_ALARM_MS)
    if (isScheduled) return
    isScheduled = true
    // Deferred, because the transaction that adds the report is still open.
    const flushed = Promise.resolve().then(() => {
      isScheduled = false
      return reportOutbox.flush()
    })
    waitUntil(flushed)
  })
  const reportOutbox = new ReportOutbox({
    state,
    pending: reports,
    activity,
    receiver: (ownerId) => env.USER_REPORTS.getByName(ownerId),
    now: Date.now,
    sleep,
    log,
  })
  return { reports, reportOutbox }
}

function historyParts(core: Core, intake: Intake, rejections: Rejections, liveTail: LiveTail) {
  const { activity, alarm, counts, ctx, env, queueSize, reports, sql, state, store } = core
  const { traces, transaction } = core
  const endedSince = (time: number) => runsEndedSince(sql, time)
  const history = new RunHistory(store, sql, () => state.current !== undefined)
  const statistics = new Statistics({
    now: Date.now,
    endedSince,
    skippedSince: (time) => ticksSkippedSince(sql, time),
    eventsSince: (time) => counts.read(time),
    queueStatus: () => ({ queued: queueSize.queued, ...countLiveRuns(sql) }),
    rejected: () => rejections.read(),
  })
  const charts = new RunCharts({ now: Date.now, endedSince })
  const waiters = new RunWaiters()
  const failureRate = new FailureRate({ state, sql, reports })
  const retention = new Retention({
    state,
    pruning: new HistoryPruner(sql),
    transaction,
    isBeingWritten: (revision) => intake.isBeingWritten(revision),
    armBy: (at) => alarm.armBy(at),
    // Otherwise, the list of triggers would show a deleted run permanently.
    emptied: () => activity.recordChange(),
  })
  const runEnded = (run: EndedRun) => {
    waiters.notify(run.suffix)
    const triggerId = state.current?.triggerId
    if (run.output && triggerId !== undefined) {
      const { attempt, logs } = run.output
      liveTail.recordEnd({ id: triggerId + run.suffix, attempt }, logs)
    } else liveTail.recordChange()
    if (!run.isTest) {
      statistics.add(run)
      charts.add(run)
    }
    activity.recordChange()
    retention.recordEnd(run.finishedAt)
    if (run.status === 'failed' && !run.isTest) failureRate.recordFailure(Date.now())
    count(seriesOf('svc_edge_runs_ended_total', { status: run.status }))
    recordRunSpans(run, { sql, state, traces })
    flushCounts(env, ctx)
  }
  return { history, statistics, charts, waiters, retention, runEnded }
}

function dispatcherOf(
  core: Core,
  origin: SealedOrigin,
  logs: LogIntake,
  runEnded: (run: EndedRun) => void,
) {
  const { activity, alarm, ctx, env, keepAlive, log, queueReports, queueSize, reports } = core
  const { sql, state, store, traces } = core
  const starts = new StoredStarts(sql)
  const keys = new RunKeys(sql, state)
  return new Dispatcher({
    store,
    live: new LiveRuns(ctx.storage, starts, reports, keys),
    starts,
    cancellation: new QueueCancellation(ctx.storage, reports, keys),
    state,
    reports,
    origin,
    claimsRestoredAt: () => settingsOf(env).POSTGRES_RESTORED_AT,
    now: Date.now,
    random: Math.random,
    keepAlive,
    armBy: (at) => alarm.armBy(at),
    queueChanged: (change, run) => {
      queueSize.adjust(change, run.bodyBytes)
      queueReports.update(queueSize.queued, Date.now())
      activity.recordChange()
      logs.notifyIfRoom()
    },
    runEnded,
    traces,
    log,
  })
}

function upkeepParts(core: Core, intake: Intake, origin: SealedOrigin) {
  const { ctx, db, env, log, record, reportOutbox, reports, rules, state, watcher } = core
  const ticks = new Ticks({
    state,
    intake,
    reports,
    skipped: new SkippedTicks(db),
    rules,
    onWoken: () => ctx.waitUntil(origin.prepare()),
    onTicked: ({ triggerId: id, version, nextTickAt }) =>
      ctx.waitUntil(reportTick(env, { id, version, nextTickAt }).catch(() => undefined)),
    log,
  })
  const subscriptionOutbox = new SubscriptionOutbox({
    state,
    subscription: () => currentSubscription(state, env),
    watcher,
    now: Date.now,
    sleep,
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
      await reportOutbox.forgetOrThrow()
      await ctx.storage.deleteAll()
      state.forget()
    },
    log,
  })
  const rows = new ScannerIndex(index)
  const indexCheck = new IndexCheck({
    state,
    indexedVersion: (triggerId) => rows.version(triggerId),
    write: () => indexOutbox.flush(),
    restoredAt: () => settingsOf(env).D1_RESTORED_AT,
    log,
  })
  return { ticks, subscriptionOutbox, indexOutbox, indexCheck }
}

function currentSubscription(state: TriggerState, env: Env): Subscription | undefined {
  const { current, watch } = state
  if (!current?.enabled || !watch) return undefined
  const defaultFinality = settingsOf(env).CHAINS[watch.chain]?.finality
  // The chain is not configured at the moment, so it has no watcher. The update stays pending until the chain is
  // configured again.
  if (defaultFinality === undefined) throw new Error('the chain is not configured')
  const finality = resolveFinality(parseTriggerOptions(current), defaultFinality)
  return subscriptionOf(current, watch, readChainConfig(JSON.parse(current.config)), finality)
}
