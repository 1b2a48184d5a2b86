import { rootCauseText } from '../../db/root-cause-text.ts'
import type { Sleep } from '../../sleep.ts'
import { RangeSize } from '../backfill/range-size.ts'
import type { BackfillSource } from '../backfill/backfill-source.ts'
import type { Tip } from '../../../shared/rpc/block-header.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { ChainUnreachableError, NodeLaggingError } from '../../../shared/rpc/chain-read-errors.ts'
import type { DeliveryResponse, LogDelivery, Subscription } from '../subscription.ts'
import { completeStoredLogs } from './complete-stored-logs.ts'
import { tagsInUse, leaveWatermark } from './finality-watermarks.ts'
import { HeadFollower } from './head-follower.ts'
import { CaughtUpDelivery } from './caught-up-delivery.ts'
import { type ChainLag, LagMonitor, type WatcherProgress } from './lag-monitor.ts'
import { LaggingDelivery } from './lagging-delivery.ts'
import { LastKnownHead } from './last-known-head.ts'
import { CursorBackfillSource } from './cursor-backfill-source.ts'
import { subscribe, unsubscribe } from './subscribe.ts'
import { DeliverySender } from './delivery-sender.ts'
import { BlockLogReader } from './block-log-reader.ts'
import { WatchState } from './watch-state.ts'
import type { ChainStatus } from './watcher.ts'
import { BLOCKS_RETAINED, BLOCKS_RETAINED_MAX } from '../../../shared/limits.ts'

type ChainPollerOptions = {
  /** Storage of the watcher. It must be migrated, and must not be used by other code. */
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>
  reader: ChainReader
  /** Size limits learned from the provider, which all readers of the chain share. */
  size?: RangeSize
  /** Delivers logs to a trigger. Calls to the same trigger must arrive in the order in which they are made. */
  deliver: (triggerId: string, delivery: LogDelivery) => Promise<DeliveryResponse>
  now: () => number
  sleep: Sleep
  keepAlive: (work: Promise<void>) => void
  onBackfillDue: () => void
  /** Called when blocks that the backfill has read were replaced. The backfill must then discard their logs. */
  onBackfillReplaced: () => void
  log: (event: string, facts: Record<string, string | number>) => void
}

/** Result of a poll. `away` means that no endpoint answered, and that the next poll may be delayed. */
export type PollOutcome = 'idle' | 'looked' | 'lags' | 'away'

/**
 * Polls a chain for all of its triggers. New blocks are read once, and each trigger receives the matching logs that are
 * final for it. All state needed to resume is in storage, so the watcher may be interrupted at any time. Work starts
 * only with a call to `poll` or a call from a trigger.
 */
export class ChainPoller {
  readonly #options: ChainPollerOptions
  readonly #state: WatchState
  readonly #size: RangeSize
  readonly #follower: HeadFollower
  readonly #lagging: LaggingDelivery
  readonly #lastKnown: LastKnownHead
  readonly #lag: LagMonitor
  readonly backfillSource: BackfillSource
  #logReader: { filters: number; logs: BlockLogReader } | undefined
  #isPolling = false
  #isUnreachable = false

  constructor(options: ChainPollerOptions) {
    const { storage, reader, deliver, now, sleep, log } = options
    this.#options = options
    this.#size = options.size ?? new RangeSize()
    const state = new WatchState(storage)
    this.#state = state
    this.#lastKnown = new LastKnownHead(storage.sql)
    this.#lag = new LagMonitor(this.#progress(), now())
    const { notices, transaction } = state
    const sender = new DeliverySender({ deliver, notices, transaction, sleep, log })
    this.#follower = new HeadFollower({
      state,
      reader,
      size: this.#size,
      delivery: new CaughtUpDelivery({ state, sender, now, sleep, log }),
      logReader: () => this.#currentLogReader(),
      now,
      onReplaced: options.onBackfillReplaced,
      log,
    })
    this.#lagging = new LaggingDelivery({ state, sender, now })
    this.backfillSource = new CursorBackfillSource({ state, sender, now })
  }

  get isWatching(): boolean {
    return this.#state.subscriptions.size > 0
  }

  /** Undefined before the first response. */
  get head(): number | undefined {
    return this.#lastKnown.facts.head ?? undefined
  }

  /** Time of the last response, in Unix milliseconds. Undefined before the first response. */
  get answeredAt(): number | undefined {
    return this.#lastKnown.facts.answeredAt ?? undefined
  }

  subscribe(subscription: Subscription): void {
    if (!this.isWatching) this.#lag.restart(this.#options.now())
    if (subscribe(this.#state, subscription)) this.#startDeliveries()
  }

  unsubscribe(triggerId: string, version: number): void {
    unsubscribe(this.#state, triggerId, version, this.#options.now())
  }

  roomFor(triggerId: string): void {
    const watched = this.#state.subscriptions.get(triggerId)
    watched?.live?.clearBackoff()
    watched?.backfill?.clearBackoff()
    if (watched?.live || watched?.backfill) this.#startDeliveries()
  }

  /** Does nothing if another poll is in progress. Never throws. */
  async poll(): Promise<PollOutcome> {
    if (!this.isWatching) return 'idle'
    if (this.#isPolling) return 'looked'
    this.#isPolling = true
    try {
      const outcome = await this.#pollOnce()
      this.#isUnreachable = false
      return outcome
    } catch (error) {
      return this.#recordFailure(error)
    } finally {
      this.#isPolling = false
      this.#startDeliveries()
    }
  }

  /** Returns the lag of the chain; undefined if it makes progress, or no trigger watches it. Called after each poll. */
  lag(): ChainLag | undefined {
    return this.isWatching ? this.#lag.update(this.#progress(), this.#options.now()) : undefined
  }

  get triggerIds(): string[] {
    return [...this.#state.subscriptions.all()].map(({ triggerId }) => triggerId)
  }

  factoryContracts(triggerId: string): { count: number; learningAt: number | null } | undefined {
    const watched = this.#state.subscriptions.get(triggerId)
    const learned = watched?.filter.learned
    if (!watched || !learned) return undefined
    return { count: learned.size, learningAt: watched.learningAt ?? null }
  }

  status(): Omit<ChainStatus, 'endpoints'> {
    const { subscriptions, unfinalized } = this.#state
    const all = [...subscriptions.all()]
    const now = this.#options.now()
    return {
      watching: this.isWatching,
      ...this.#lastKnown.facts,
      lookedThrough: unfinalized.through ?? null,
      triggers: all.length,
      backfills: all.filter(({ backfill }) => backfill && !backfill.isComplete).length,
      behind: all.filter(({ live, backfill }) =>
        [live, backfill].some((cursor) => cursor && cursor.retryAt > now),
      ).length,
    }
  }

  #progress(): WatcherProgress {
    const { head, answeredAt } = this.#lastKnown.facts
    return { head, answeredAt, lookedThrough: this.#state.unfinalized.through ?? null }
  }

  async #pollOnce(): Promise<PollOutcome> {
    const { reader, now } = this.#options
    const tip: Tip = await reader.tip(tagsInUse(this.#state))
    if (!this.isWatching) return 'idle'
    this.#lastKnown.record(tip, now())
    await this.#follower.follow(tip)
    await completeStoredLogs(this.#state, { reader, size: this.#size }, now())
    await this.#follower.deliverFinal(tip)
    prune(this.#state)
    return 'looked'
  }

  #recordFailure(error: unknown): PollOutcome {
    const { log } = this.#options
    if (error instanceof NodeLaggingError) {
      log('chain.lags', { reason: error.message })
      return 'lags'
    }
    const isKnown = error instanceof ChainUnreachableError
    if (!this.#isUnreachable || !isKnown)
      log(isKnown ? 'chain.away' : 'chain.broken', { reason: rootCauseText(error) })
    this.#isUnreachable = true
    return 'away'
  }

  /** Starts deliveries to lagging triggers and the backfill. Both run in the background, independently of polls. */
  #startDeliveries(): void {
    try {
      this.#options.keepAlive(this.#lagging.deliverDue())
      this.#options.onBackfillDue()
    } catch (error) {
      this.#options.log('chain.broken', { reason: rootCauseText(error) })
    }
  }

  #currentLogReader(): BlockLogReader {
    const { subscriptions } = this.#state
    if (this.#logReader?.filters !== subscriptions.filtersVersion) {
      const filters = [...subscriptions.all()]
        .filter(({ learningAt }) => learningAt === undefined)
        .map(({ filter }) => filter)
      this.#logReader = { filters: subscriptions.filtersVersion, logs: new BlockLogReader(filters) }
    }
    return this.#logReader.logs
  }
}

/** Minimum number of blocks to delete at once. Most polls therefore delete nothing. */
const PRUNED_BLOCKS_MIN = 32

/**
 * Deletes stored blocks that no reorganization or watermark needs. All blocks below the remaining ones can no longer be
 * reorganized.
 */
function prune(state: WatchState): void {
  const { unfinalized, watermarks, subscriptions, notices } = state
  if (unfinalized.isEmpty || unfinalized.through === undefined) return
  const { through } = unfinalized
  const inUse = new Set([...subscriptions.all()].map(({ watermarkKey }) => watermarkKey))
  const stale = [...watermarks.entries()].filter(([mark]) => !inUse.has(mark))
  if (stale.length > 0) state.transaction(() => watermarks.keepOnly(inUse))
  const wanted = Math.min(through - BLOCKS_RETAINED, watermarks.lowest() ?? through)
  const keepFrom = Math.max(wanted, through - BLOCKS_RETAINED_MAX + 1)
  if (keepFrom < unfinalized.first + PRUNED_BLOCKS_MIN) return
  state.transaction(() => {
    // A watermark below the deleted blocks has not advanced for a long time. Its triggers get their own cursors, and
    // read the deleted blocks when the watermark advances.
    for (const [mark, block] of watermarks.entries())
      if (block < keepFrom - 1) leaveWatermark(state, mark)
    unfinalized.prune(keepFrom)
    notices.prune(keepFrom)
  })
}
