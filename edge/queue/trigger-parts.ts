import { drizzle as overD1 } from 'drizzle-orm/d1'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import type { TriggerOptions, TriggerRecord } from '../../shared/wire/trigger.ts'
import * as indexSchema from '../db/schema.ts'
import { readChainConfig } from '../chain/chain-config.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import { finalityOf } from '../chain/finality.ts'
import type { Subscription } from '../chain/subscription.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import { type Env, settingsOf } from '../env.ts'
import { ScannedRows } from '../schedule/scanned-rows.ts'
import { SkippedTicks } from '../schedule/skipped-ticks.ts'
import { Ticks } from '../schedule/ticks.ts'
import { logEvent } from '../log.ts'
import { count, handOver } from '../metrics/counts.ts'
import { seriesOf } from '../metrics/series.ts'
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
import { Intake } from './intake.ts'
import { LiveCounts } from './live-counts.ts'
import { LiveRuns } from './live-runs.ts'
import { LogIntake } from './log-intake.ts'
import { Pruning } from './pruning.ts'
import { triggerRecord } from './records.ts'
import { Retention } from './retention.ts'
import { RunCharts } from './run-chart.ts'
import { RunStore } from './run-store.ts'
import { RunWaiters } from './run-waiters.ts'
import * as schema from './schema.ts'
import { StoredStarts } from './start-log.ts'
import { Statistics } from './statistics.ts'
import { TriggerState } from './trigger-state.ts'
import { WatchNote } from './watch-note.ts'
import { subscriptionOf } from './watch.ts'
import { WebhookIntake } from './webhook-intake.ts'

/** Fallback alarm that is set when runs are queued. It starts the runs if the object is not woken otherwise. */
const SAFETY_ALARM_MS = 1_000

export type TriggerParts = ReturnType<typeof triggerParts>

/** Does not access storage yet. */
export function triggerParts(ctx: DurableObjectState, env: Env) {
  const live = new LiveCounts()
  const waiters = new RunWaiters()
  const record = (): TriggerRecord => {
    const trigger = state.current
    if (!trigger) throw new Error('this object has no trigger')
    return triggerRecord(trigger, store.revision(trigger.revision), settingsOf(env))
  }
  const subscription = (): Subscription | undefined => {
    const { current, watch } = state
    if (!current?.enabled || !watch) return undefined
    const usual = settingsOf(env).CHAINS[watch.chain]?.finality
    // The chain is not configured at the moment, so it has no watcher. The update stays pending until the chain is
    // configured again.
    if (usual === undefined) throw new Error('the chain is not configured')
    const finality = finalityOf(JSON.parse(current.options) as TriggerOptions, usual)
    return subscriptionOf(current, watch, readChainConfig(JSON.parse(current.config)), finality)
  }
  const runEnded = (run: CountedRun & { suffix: string }): void => {
    waiters.ended(run.suffix)
    statistics.ended(run)
    charts.ended(run)
    retention.ended(run.finishedAt)
    count(seriesOf('svc_edge_runs_ended_total', { status: run.status }))
    handOver(env, ctx)
  }

  const db = drizzle(ctx.storage, { schema })
  const store = new RunStore(ctx.storage, db)
  const state = new TriggerState(ctx.storage, db)
  const { sql } = ctx.storage
  const isThere = () => state.current !== undefined
  const history = new History(store, sql, isThere)
  const statistics = new Statistics({
    now: Date.now,
    endedSince: (time) => endedSince(sql, time),
    skippedSince: (time) => skippedSince(sql, time),
    live: () => ({ queued: live.queued, ...liveRuns(sql) }),
  })
  const charts = new RunCharts({
    now: Date.now,
    endedSince: (time) => endedSince(sql, time),
  })
  const log = (event: string, facts: Record<string, string | number>) =>
    logEvent(env, event, { trigger: state.current?.triggerId, ...facts })
  const deliveries = new Deliveries(ctx.storage.sql)
  const onDisk = {
    transaction: (work: () => void) => ctx.storage.transactionSync(work),
    sync: () => ctx.storage.sync(),
    inserted: () => alarm.armBy(Date.now() + SAFETY_ALARM_MS),
    committed: () => alarm.guarded('dispatcher', Date.now(), () => dispatcher.pump()),
  }
  const intake = new Intake({
    ...onDisk,
    state,
    store,
    deliveries,
    live,
    now: Date.now,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  })
  const webhook = new WebhookIntake(state, intake)
  const watcher = (chain: ChainName): Watcher => env.CHAIN_WATCHER.getByName(chain)
  const logs = new LogIntake({
    ...onDisk,
    state,
    store,
    intake: intake,
    fired: new FiredLogs(sql),
    live,
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
    clearing: new Clearing(ctx.storage),
    state,
    origin,
    now: Date.now,
    random: Math.random,
    keepAlive: (work) => ctx.waitUntil(work),
    armBy: (at) => alarm.armBy(at),
    queueChanged: (change, run) => {
      live.count(change, run.bodyBytes)
      logs.queueChanged()
    },
    runEnded: (run) => runEnded(run),
    log,
  })
  const index = overD1(env.DB, { schema: indexSchema })
  const indexRow = new IndexRow({
    state,
    now: Date.now,
    sleep,
    record,
    put: (ownerId, shown, version) => putIndexRow(index, ownerId, shown, version),
    drop: (triggerId) => dropIndexRow(index, state.row!.ownerId, triggerId),
    dropped: async () => {
      await watchNote.told()
      await ctx.storage.deleteAll()
      state.forget()
    },
    log,
  })
  const watchNote = new WatchNote({
    state,
    subscription: () => subscription(),
    watcher,
    now: Date.now,
    sleep,
    log,
  })
  const retention = new Retention({
    state,
    pruning: new Pruning(sql),
    transaction: (work) => ctx.storage.transactionSync(work),
    isOnTheWay: (revision) => intake.isOnTheWay(revision),
    armBy: (at) => alarm.armBy(at),
  })
  const ticks = new Ticks({
    state,
    intake: intake,
    skipped: new SkippedTicks(db),
    woken: () => ctx.waitUntil(origin.prepare()),
    log,
  })
  const rows = new ScannedRows(index)
  const indexCheck = new IndexCheck({
    state,
    indexed: (triggerId) => rows.version(triggerId),
    write: () => indexRow.write(),
    log,
  })
  const keepAlive = (work: Promise<void>) => ctx.waitUntil(work)
  const alarm = new Alarm(
    ctx.storage,
    [
      // Must come before the dispatcher, so that the run of a tick starts immediately.
      { name: 'ticks', tend: (now) => ticks.tend(now) },
      { name: 'dispatcher', tend: () => dispatcher.tend() },
      { name: 'index', tend: (now) => indexRow.tend(now, keepAlive) },
      { name: 'watch', tend: (now) => watchNote.tend(now, keepAlive) },
      { name: 'index-check', tend: (now) => indexCheck.tend(now, keepAlive) },
      {
        name: 'deliveries',
        patient: true,
        tend: (now) => (state.current ? deliveries.tend(now) : undefined),
      },
      { name: 'retention', patient: true, tend: (now) => retention.tend(now) },
    ],
    log,
  )
  return {
    db,
    store,
    state,
    live,
    intake,
    webhook,
    logs,
    dispatcher,
    history,
    waiters,
    statistics,
    charts,
    indexRow,
    watchNote,
    alarm,
    record,
  }
}
