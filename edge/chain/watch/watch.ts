import { causeOf } from '../../db/cause-of.ts'
import { RangeSize } from '../backfill/range-size.ts'
import type { Stretches } from '../backfill/stretch.ts'
import type { Tip } from '../block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { ChainAway, NodeLags } from '../rpc/rpc-failures.ts'
import type { DeliveryAnswer, LogDelivery, Subscription } from '../subscription.ts'
import { cover } from './cover.ts'
import { tagsInUse } from './finality-marks.ts'
import { Follower } from './follower.ts'
import { InStep } from './in-step.ts'
import { Lagging } from './lagging.ts'
import { prune } from './pruning.ts'
import { Seen } from './seen.ts'
import { LaneStretches } from './stretches.ts'
import { subscribe, unsubscribe } from './subscribing.ts'
import { Teller } from './teller.ts'
import { UnionLogs } from './union-logs.ts'
import { WatchState } from './watch-state.ts'
import type { ChainStatus } from './watcher.ts'

export type WatchOptions = {
  /** Must be migrated, and not used by anything else. */
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>
  reader: ChainReader
  /** Learned from the provider, shared by all readers of the chain. */
  size?: RangeSize
  /** Calls to one trigger must arrive in the order in which they are made. */
  tell: (triggerId: string, delivery: LogDelivery) => Promise<DeliveryAnswer>
  now: () => number
  /** Resolves early when the signal is aborted. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  keepAlive: (work: Promise<void>) => void
  /** Called when there may be block ranges for the backfill to read. */
  stretchesDue: () => void
  /** Called when blocks that the backfill has read were replaced, so that it discards their logs. */
  stretchesReplaced: () => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/** `away`: no endpoint answers, and the next poll may be delayed. */
export type Looked = 'idle' | 'looked' | 'lags' | 'away'

/**
 * New blocks are read once for all triggers, and each receives the logs that are final for it. Everything needed to
 * resume is in storage, so the watcher may be interrupted at any time. All work is started by `poll` or by a call from
 * a trigger.
 */
export class Watch {
  readonly #options: WatchOptions
  readonly #state: WatchState
  readonly #size: RangeSize
  readonly #follower: Follower
  readonly #lagging: Lagging
  readonly #seen: Seen
  readonly stretches: Stretches
  #union: { filters: number; logs: UnionLogs } | undefined
  #isPolling = false
  #isAway = false

  constructor(options: WatchOptions) {
    const { storage, reader, tell, now, sleep, log } = options
    this.#options = options
    this.#size = options.size ?? new RangeSize()
    const state = new WatchState(storage)
    this.#state = state
    this.#seen = new Seen(storage.sql)
    const { notices, transaction } = state
    const teller = new Teller({ tell, notices, transaction, sleep, log })
    this.#follower = new Follower({
      state,
      reader,
      size: this.#size,
      inStep: new InStep({ state, teller, now, sleep, log }),
      union: () => this.#unionLogs(),
      now,
      replaced: options.stretchesReplaced,
      log,
    })
    this.#lagging = new Lagging({ state, teller, now })
    this.stretches = new LaneStretches({ state, teller, now })
  }

  get isWatching(): boolean {
    return this.#state.subscriptions.size > 0
  }

  /** Undefined before the first response. */
  get head(): number | undefined {
    return this.#seen.facts.head ?? undefined
  }

  /** Unix milliseconds; undefined before the first response. */
  get answeredAt(): number | undefined {
    return this.#seen.facts.answeredAt ?? undefined
  }

  watch(subscription: Subscription): void {
    if (subscribe(this.#state, subscription)) this.#tend()
  }

  unwatch(triggerId: string, version: number): void {
    unsubscribe(this.#state, triggerId, version, this.#options.now())
  }

  /** Resumes deliveries, because the trigger's full queue has room again. */
  roomFor(triggerId: string): void {
    const watched = this.#state.subscriptions.get(triggerId)
    watched?.live?.hasRoom()
    watched?.backfill?.hasRoom()
    if (watched?.live || watched?.backfill) this.#tend()
  }

  /** Only one poll runs at a time. Never throws. */
  async poll(): Promise<Looked> {
    if (!this.isWatching) return 'idle'
    if (this.#isPolling) return 'looked'
    this.#isPolling = true
    try {
      const looked = await this.#look()
      this.#isAway = false
      return looked
    } catch (error) {
      return this.#failed(error)
    } finally {
      this.#isPolling = false
      this.#tend()
    }
  }

  status(): Omit<ChainStatus, 'endpoints'> {
    const { subscriptions, kept } = this.#state
    const all = [...subscriptions.all()]
    const now = this.#options.now()
    return {
      watching: this.isWatching,
      ...this.#seen.facts,
      lookedThrough: kept.through ?? null,
      triggers: all.length,
      backfills: all.filter(({ backfill }) => backfill && !backfill.isResting).length,
      behind: all.filter(({ live, backfill }) =>
        [live, backfill].some((lane) => lane && lane.retryAt > now),
      ).length,
    }
  }

  async #look(): Promise<Looked> {
    const { reader, now } = this.#options
    const tip: Tip = await reader.tip(tagsInUse(this.#state))
    if (!this.isWatching) return 'idle'
    this.#seen.note(tip, now())
    await this.#follower.follow(tip)
    await cover(this.#state, { reader, size: this.#size }, now())
    await this.#follower.finish(tip)
    prune(this.#state)
    return 'looked'
  }

  #failed(error: unknown): Looked {
    const { log } = this.#options
    if (error instanceof NodeLags) {
      log('chain.lags', { reason: error.message })
      return 'lags'
    }
    const isKnown = error instanceof ChainAway
    if (!this.#isAway || !isKnown)
      log(isKnown ? 'chain.away' : 'chain.broken', { reason: causeOf(error) })
    this.#isAway = true
    return 'away'
  }

  /** Starts deliveries to lagging triggers and the backfill, in the background, independently of polls. */
  #tend(): void {
    try {
      this.#options.keepAlive(this.#lagging.tend())
      this.#options.stretchesDue()
    } catch (error) {
      this.#options.log('chain.broken', { reason: causeOf(error) })
    }
  }

  #unionLogs(): UnionLogs {
    const { subscriptions } = this.#state
    if (this.#union?.filters !== subscriptions.filters) {
      const filters = [...subscriptions.all()].map(({ filter }) => filter)
      this.#union = { filters: subscriptions.filters, logs: new UnionLogs(filters) }
    }
    return this.#union.logs
  }
}
