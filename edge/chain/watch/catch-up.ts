import { BLOCKS_RETAINED } from '../../../shared/limits.ts'
import { BlockRejectedError } from '../backfill/read-block-logs.ts'
import type { LogBatch } from '../backfill/range-reader.ts'
import type { RangeSize } from '../backfill/range-size.ts'
import { readQueries } from '../backfill/read-queries.ts'
import type { Tip } from '../../../shared/rpc/block-header.ts'
import { isInterval } from '../block-mark.ts'
import { logRouteKey } from '../matching/log-matching.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import {
  finalBlocks,
  leaveCaughtUp,
  leaveWatermark,
  startLiveCursor,
} from './finality-watermarks.ts'
import type { CaughtUpDelivery } from './caught-up-delivery.ts'
import type { BlockLogReader } from './block-log-reader.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Minimum number of missed blocks for catching up. From this number on, reading logs in block ranges is cheaper than
 * reading each header.
 */
const CATCH_UP_BLOCKS = 512

/** Time limit for catching up, after which the head is polled again. */
const READ_TIMEOUT_MS = 20_000

export type CatchUpOptions = {
  state: WatchState
  delivery: CaughtUpDelivery
  reader: ChainReader
  size: RangeSize
  logReader: () => BlockLogReader
  now: () => number
}

/**
 * Catches up with blocks that were missed in an outage. These blocks are far below the head and final for all triggers.
 * Logs are requested in block ranges for all triggers together, and delivered as they arrive, without being stored.
 */
export class CatchUp {
  readonly #options: CatchUpOptions

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  isDue(tip: Tip): boolean {
    return this.#target(tip) - this.#options.state.unfinalized.through! >= CATCH_UP_BLOCKS
  }

  /**
   * Reads missed blocks, and delivers their logs. Must be called only if the stored blocks are known to be in the
   * chain.
   * @throws {ChainUnreachableError}
   * @throws {NodeLaggingError}
   */
  async read(tip: Tip): Promise<void> {
    const { state, delivery, reader, size, logReader, now } = this.#options
    const { unfinalized, watermarks } = state
    const to = this.#target(tip)
    await delivery.deliverUpTo(finalBlocks(state, tip, tip.latest.number))
    const { through } = unfinalized
    if (through === undefined) return
    state.transaction(() => {
      // If the chain does not report a block for a tag, triggers with that finality continue with their own cursors.
      for (const [mark, block] of watermarks.entries())
        if (block !== through) leaveWatermark(state, mark)
      unfinalized.restart(through)
      this.#leaveFactories(through)
    })
    const all = logReader()
    const queries = all.rangeQueries()
    state.searchingThrough = to
    const others = all.rangeReaders(reader)
    if (queries.length + others.length === 0) return this.#splitCursors(to)
    this.#leaveIntervals()
    const until = now() + READ_TIMEOUT_MS
    const ended = new AbortController()
    const range = { from: through + 1, to }
    const lane = { lane: 'live', signal: ended.signal } as const
    const reading = readQueries({ chain: reader, size }, queries, range, lane, others)
    try {
      await this.#deliverAll(reading, all, () => now() >= until && ended.abort())
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error
      this.#splitCursors(to)
    }
  }

  /** Ranges of logs have no headers, so the triggers on blocks get their own cursors, which read only their blocks. */
  #leaveIntervals(): void {
    const { state } = this.#options
    const { subscriptions, watermarks } = state
    const intervals = [...subscriptions.all()].filter(
      ({ filter, live }) => isInterval(filter) && !live,
    )
    if (intervals.length === 0) return
    state.transaction(() => {
      for (const watched of intervals) {
        const block = watermarks.get(watched.watermarkKey)
        if (block !== undefined) startLiveCursor(state, watched, Math.max(block + 1, watched.since))
      }
    })
  }

  /**
   * Ranges are searched with addresses, so the triggers on contracts of a factory learn these before they continue with
   * their own cursors. Must be called in a transaction.
   */
  #leaveFactories(through: number): void {
    const { state } = this.#options
    const { subscriptions } = state
    for (const watched of subscriptions.all()) {
      if (!watched.filter.factory) continue
      leaveCaughtUp(state, watched)
      if (watched.learningAt === undefined) subscriptions.startLearning(watched, through + 1)
    }
  }

  async #deliverAll(
    reading: AsyncIterable<LogBatch>,
    all: BlockLogReader,
    delivered: () => void,
  ): Promise<void> {
    const { state, delivery } = this.#options
    const { unfinalized, watermarks } = state
    for await (const read of reading) {
      const before = unfinalized.through
      if (before === undefined) return
      const moves = new Map(
        [...watermarks.entries()]
          .filter(([, block]) => block === before)
          .map(([mark]) => [mark, read.through]),
      )
      const logs = all.filterWatched(read.logs).map((log) => ({
        block: log.blockNumber,
        route: logRouteKey(log),
        log,
      }))
      await delivery.deliver(logs, moves, () => unfinalized.restart(read.through))
      delivered()
    }
  }

  /** Gives each trigger its own cursor, so that a block that cannot be read does not delay the other triggers. */
  #splitCursors(to: number): void {
    const { state } = this.#options
    const { unfinalized, watermarks } = state
    const { through } = unfinalized
    if (through === undefined) return
    state.transaction(() => {
      for (const [mark, block] of watermarks.entries()) {
        if (block !== through) continue
        leaveWatermark(state, mark)
        watermarks.set(mark, to)
      }
      unfinalized.restart(to)
    })
  }

  /**
   * Returns the highest block that is too deep to be reorganized and final for all triggers. Ignores tags that the
   * chain does not report.
   */
  #target(tip: Tip): number {
    const { state } = this.#options
    const finals = finalBlocks(state, tip, tip.latest.number)
    return Math.min(tip.latest.number - BLOCKS_RETAINED, ...finals.values())
  }
}
