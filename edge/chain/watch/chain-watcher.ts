import { DurableObject } from 'cloudflare:workers'
import { drizzle as d1Drizzle } from 'drizzle-orm/d1'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../../drizzle/chain-watcher/migrations.js'
import * as schema from '../../db/schema.ts'
import { ownersOfTriggers } from '../../triggers/trigger-owners.ts'
import { rootCauseText } from '../../db/root-cause-text.ts'
import { isAlarmLost } from '../../deadline.ts'
import { type Env, settingsOf } from '../../env.ts'
import type { LogFields } from '../../../shared/service-log/line.ts'
import { logEvent } from '../../log.ts'
import { sleep } from '../../sleep.ts'
import { BackfillRunner } from '../backfill/backfill-runner.ts'
import { RangeSize } from '../backfill/range-size.ts'
import { RecentLogSearch } from '../backfill/recent-log-search.ts'
import type { ChainName, ChainSettings } from '../../../shared/config/chain-settings.ts'
import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import { HttpChainReader } from '../rpc/http-chain-reader.ts'
import type { BlockRange, Subscription } from '../subscription.ts'
import { requestFinalBlock, requestHead } from './request-head.ts'
import { LagReports } from './lag-reports.ts'
import { inspectContract } from './inspect-contract.ts'
import type { ChainStatus, Watcher } from './watcher.ts'
import { PollBackoff } from './poll-backoff.ts'
import { TriggerCalls } from './trigger-calls.ts'
import { ChainPoller } from './chain-poller.ts'

type WatcherParts = {
  poller: ChainPoller
  reader: HttpChainReader
  backfill: BackfillRunner
  recent: RecentLogSearch
  pace: PollBackoff
  lagReports: LagReports
}

/**
 * Watches one chain for all of its triggers. The Durable Object is named after the chain, and polls by alarm while the
 * chain has triggers.
 */
export class ChainWatcher extends DurableObject<Env> implements Watcher {
  #parts!: WatcherParts
  readonly #heads = new Map<Finality, ReturnType<Watcher['head']>>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  /** Requests the head. Single-flight: concurrent callers share one request. */
  head(finality: Finality): ReturnType<Watcher['head']> {
    const { poller, reader } = this.#parts
    const request =
      this.#heads.get(finality) ??
      requestHead({ poller, reader, now: Date.now }, finality).finally(() =>
        this.#heads.delete(finality),
      )
    this.#heads.set(finality, request)
    return request
  }

  async watch(subscription: Subscription): Promise<void> {
    this.#parts.poller.subscribe(subscription)
    await this.wake()
  }

  async unwatch(triggerId: string, version: number): Promise<void> {
    this.#parts.poller.unsubscribe(triggerId, version)
  }

  async roomFor(triggerId: string): Promise<void> {
    this.#parts.poller.roomFor(triggerId)
  }

  async recent(
    filter: LogFilter,
    finality: Finality,
    limit: number,
  ): ReturnType<Watcher['recent']> {
    const { reader, recent } = this.#parts
    const last = await requestFinalBlock(reader, finality)
    if (last.state !== 'known') return last
    try {
      return await recent.find(filter, last.block, limit)
    } catch {
      return { state: 'away' }
    }
  }

  async contractAt(address: string, within: BlockRange): ReturnType<Watcher['contractAt']> {
    return inspectContract(this.#parts.reader, address, within)
  }

  async factoryContracts(triggerId: string): ReturnType<Watcher['factoryContracts']> {
    return this.#parts.poller.factoryContracts(triggerId)
  }

  async status(): Promise<ChainStatus> {
    const { poller, reader } = this.#parts
    return { ...poller.status(), endpoints: reader.health() }
  }

  async wake(): Promise<void> {
    const { poller, pace } = this.#parts
    if (!poller.isWatching || !this.#settings()) return
    const now = Date.now()
    if (isAlarmLost(await this.ctx.storage.getAlarm(), now, now + pace.intervalMs))
      await this.ctx.storage.setAlarm(now)
  }

  /** Polls the chain. Never throws, because an alarm that throws is retried six times and then lost permanently. */
  override async alarm(): Promise<void> {
    const { poller, pace } = this.#parts
    if (!poller.isWatching) return
    try {
      // Sets the next alarm before anything that can fail. If the alarm is lost nevertheless, the schedule scanner
      // restores it.
      await this.ctx.storage.setAlarm(Date.now() + pace.intervalMs)
    } catch (error) {
      this.#log('chain.broken', { reason: rootCauseText(error) })
    }
    this.ctx.waitUntil(this.#poll())
  }

  async #poll(): Promise<void> {
    const { lagReports, poller, pace } = this.#parts
    pace.recordPoll(await poller.poll())
    lagReports.update(poller.lag())
  }

  #settings(): ChainSettings | undefined {
    return settingsOf(this.env).CHAINS[this.ctx.id.name as ChainName]
  }

  async #open(): Promise<void> {
    const { storage } = this.ctx
    await migrate(drizzle(storage), migrations)
    const settings = this.#settings()
    const log = (event: string, facts: object) => this.#log(event, facts)
    const now = Date.now
    const random = Math.random
    const keepAlive = (work: Promise<unknown>) => this.ctx.waitUntil(work)
    // A chain that is no longer configured is treated like a chain without available endpoints.
    const { chainId, rpc, pollMs } = settings ?? { chainId: 0, rpc: [], pollMs: 1_000 }
    const reader = new HttpChainReader({
      endpoints: rpc,
      chainId,
      fetch: (url, init) => fetch(url, init),
      sleep,
      now,
      random,
      log,
    })
    const size = new RangeSize()
    const calls = new TriggerCalls((triggerId) => this.env.TRIGGER_QUEUE.getByName(triggerId))
    const poller = new ChainPoller({
      storage,
      reader,
      size,
      deliver: (triggerId, delivery) =>
        calls.deliver(triggerId, { ...delivery, chain: this.ctx.id.name as ChainName }),
      now,
      sleep,
      keepAlive,
      onBackfillDue: () => backfill.poke(),
      onBackfillReplaced: () => backfill.discardBuffered(),
      log,
    })
    const backfill = new BackfillRunner({
      chain: reader,
      source: poller.backfillSource,
      size,
      now,
      random,
      sleep,
      keepAlive,
      log,
    })
    const recent = new RecentLogSearch(reader, size, sleep)
    const lagReports = new LagReports({
      chain: this.ctx.id.name!,
      triggers: () => poller.triggerIds,
      ownersOf: (ids) => ownersOfTriggers(d1Drizzle(this.env.DB, { schema }), ids),
      report: (ownerId, report) => this.env.USER_REPORTS.getByName(ownerId).reportSubject(report),
      keepAlive,
      sleep,
      now,
      log,
    })
    this.#parts = { poller, reader, backfill, recent, lagReports, pace: new PollBackoff(pollMs) }
  }

  #log(event: string, facts: object): void {
    logEvent(this.env, event, { chain: this.ctx.id.name, ...(facts as LogFields) })
  }
}
