import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../../drizzle/chain-watcher/migrations.js'
import { causeOf } from '../../db/cause-of.ts'
import { type Env, settingsOf } from '../../env.ts'
import type { LogFacts } from '../../../shared/service-log/line.ts'
import { logEvent } from '../../log.ts'
import { sleep } from '../../sleep.ts'
import { BackfillRunner } from '../backfill/backfill-runner.ts'
import { RangeSize } from '../backfill/range-size.ts'
import { RecentLogs } from '../backfill/recent-logs.ts'
import type { ChainName, ChainSettings } from '../chain-settings.ts'
import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import { HttpChainReader } from '../rpc/http-chain-reader.ts'
import type { BlockRange, Subscription } from '../subscription.ts'
import { askedFinalBlock, askedHead } from './asked-head.ts'
import { lookAtContract } from './contract-look.ts'
import type { ChainStatus, Watcher } from './watcher.ts'
import { PollPace } from './poll-pace.ts'
import { TriggerCalls } from './trigger-calls.ts'
import { Watch } from './watch.ts'

type Parts = {
  watch: Watch
  reader: HttpChainReader
  backfill: BackfillRunner
  recent: RecentLogs
  pace: PollPace
}

/**
 * Watches one chain for all of its triggers. The object is named after the chain, and polls by alarm while there are
 * triggers.
 */
export class ChainWatcher extends DurableObject<Env> implements Watcher {
  #parts!: Parts
  readonly #heads = new Map<Finality, ReturnType<Watcher['head']>>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  /** Single-flight: concurrent callers share one request. */
  head(finality: Finality): ReturnType<Watcher['head']> {
    const { watch, reader } = this.#parts
    const asking =
      this.#heads.get(finality) ??
      askedHead({ watch, reader, now: Date.now }, finality).finally(() =>
        this.#heads.delete(finality),
      )
    this.#heads.set(finality, asking)
    return asking
  }

  async watch(subscription: Subscription): Promise<void> {
    this.#parts.watch.watch(subscription)
    await this.wake()
  }

  async unwatch(triggerId: string, version: number): Promise<void> {
    this.#parts.watch.unwatch(triggerId, version)
  }

  async roomFor(triggerId: string): Promise<void> {
    this.#parts.watch.roomFor(triggerId)
  }

  async recent(
    filter: LogFilter,
    finality: Finality,
    limit: number,
  ): ReturnType<Watcher['recent']> {
    const { reader, recent } = this.#parts
    const last = await askedFinalBlock(reader, finality)
    if (last.state !== 'known') return last
    try {
      return await recent.find(filter, last.block, limit)
    } catch {
      return { state: 'away' }
    }
  }

  async contractAt(address: string, within: BlockRange): ReturnType<Watcher['contractAt']> {
    return lookAtContract(this.#parts.reader, address, within)
  }

  async status(): Promise<ChainStatus> {
    const { watch, reader } = this.#parts
    return { ...watch.status(), endpoints: reader.health() }
  }

  async wake(): Promise<void> {
    const { watch, pace } = this.#parts
    if (!watch.isWatching || !this.#settings()) return
    const now = Date.now()
    if (!pace.isGoing(await this.ctx.storage.getAlarm(), now)) await this.ctx.storage.setAlarm(now)
  }

  /** Never throws, because an alarm that throws is retried six times and then lost permanently. */
  override async alarm(): Promise<void> {
    const { watch, pace } = this.#parts
    if (!watch.isWatching) return
    try {
      // Sets the next alarm before anything that can fail. If it is lost nevertheless, the schedule scanner restores
      // it.
      await this.ctx.storage.setAlarm(Date.now() + pace.intervalMs)
    } catch (error) {
      this.#log('chain.broken', { reason: causeOf(error) })
    }
    this.ctx.waitUntil(this.#poll())
  }

  async #poll(): Promise<void> {
    const { watch, pace } = this.#parts
    pace.looked(await watch.poll())
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
    // A chain that is no longer configured behaves like one without available endpoints.
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
    const watch = new Watch({
      storage,
      reader,
      size,
      tell: (triggerId, delivery) =>
        calls.deliver(triggerId, { ...delivery, chain: this.ctx.id.name as ChainName }),
      now,
      sleep,
      keepAlive,
      stretchesDue: () => backfill.poke(),
      stretchesReplaced: () => backfill.forget(),
      log,
    })
    const backfill = new BackfillRunner({
      chain: reader,
      stretches: watch.stretches,
      size,
      now,
      random,
      sleep,
      keepAlive,
      log,
    })
    const recent = new RecentLogs(reader, size, sleep)
    this.#parts = { watch, reader, backfill, recent, pace: new PollPace(pollMs) }
  }

  #log(event: string, facts: object): void {
    logEvent(this.env, event, { chain: this.ctx.id.name, ...(facts as LogFacts) })
  }
}
