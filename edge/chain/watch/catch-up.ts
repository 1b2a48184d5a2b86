import { BLOCKS_KEPT } from '../../../shared/limits.ts'
import { BlockRefused } from '../backfill/one-block.ts'
import type { ReadLogs } from '../backfill/range-reader.ts'
import type { RangeSize } from '../backfill/range-size.ts'
import { readUnion } from '../backfill/union-reader.ts'
import type { Tip } from '../block-header.ts'
import { routeOfLog } from '../matching/matches.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { finalBlocks, leaveMark } from './finality-marks.ts'
import type { InStep } from './in-step.ts'
import type { UnionLogs } from './union-logs.ts'
import type { WatchState } from './watch-state.ts'

/** Missed blocks from which reading logs in block ranges is cheaper than reading each header. */
const CATCH_UP_BLOCKS = 512

/** Time limit for catching up, after which the head is polled again. */
const READ_FOR_MS = 20_000

export type CatchUpOptions = {
  state: WatchState
  inStep: InStep
  reader: ChainReader
  size: RangeSize
  union: () => UnionLogs
  now: () => number
}

/**
 * Catches up after an outage on blocks that are far below the head and final for all triggers. Logs are requested in
 * block ranges for all triggers together, and delivered as they arrive, without being stored.
 */
export class CatchUp {
  readonly #options: CatchUpOptions

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  isDue(tip: Tip): boolean {
    return this.#target(tip) - this.#options.state.kept.through! >= CATCH_UP_BLOCKS
  }

  /**
   * Must be called only if the stored blocks are known to be in the chain.
   * @throws {ChainAway}
   * @throws {NodeLags}
   */
  async read(tip: Tip): Promise<void> {
    const { state, inStep, reader, size, union, now } = this.#options
    const { kept, marks } = state
    const to = this.#target(tip)
    await inStep.follow(finalBlocks(state, tip, tip.latest.number))
    const { through } = kept
    if (through === undefined) return
    state.transaction(() => {
      // If the chain reports no block for a tag, triggers with this finality continue with their own cursors.
      for (const [mark, block] of marks.entries()) if (block !== through) leaveMark(state, mark)
      kept.restart(through)
    })
    const until = now() + READ_FOR_MS
    const ended = new AbortController()
    state.lookingThrough = to
    const all = union()
    const range = { from: through + 1, to }
    const lane = { lane: 'live', signal: ended.signal } as const
    const reading = readUnion({ chain: reader, size }, all.queries, range, lane)
    try {
      await this.#tellAll(reading, all, () => now() >= until && ended.abort())
    } catch (error) {
      if (!(error instanceof BlockRefused)) throw error
      this.#part(to)
    }
  }

  async #tellAll(
    reading: AsyncIterable<ReadLogs>,
    all: UnionLogs,
    told: () => void,
  ): Promise<void> {
    const { state, inStep } = this.#options
    const { kept, marks } = state
    for await (const read of reading) {
      const before = kept.through
      if (before === undefined) return
      const moves = new Map(
        [...marks.entries()]
          .filter(([, block]) => block === before)
          .map(([mark]) => [mark, read.through]),
      )
      const logs = all.wanted(read.logs).map((log) => ({
        block: log.blockNumber,
        route: routeOfLog(log),
        log,
      }))
      await inStep.tell(logs, moves, () => kept.restart(read.through))
      told()
    }
  }

  /** Gives each trigger its own cursor, so that a block that cannot be read does not delay the other triggers. */
  #part(to: number): void {
    const { state } = this.#options
    const { kept, marks } = state
    const { through } = kept
    if (through === undefined) return
    state.transaction(() => {
      for (const [mark, block] of marks.entries()) {
        if (block !== through) continue
        leaveMark(state, mark)
        marks.set(mark, to)
      }
      kept.restart(to)
    })
  }

  /**
   * Highest block that is too deep to be reorganized and final for all triggers, ignoring tags that the chain does not
   * report.
   */
  #target(tip: Tip): number {
    const { state } = this.#options
    const finals = finalBlocks(state, tip, tip.latest.number)
    return Math.min(tip.latest.number - BLOCKS_KEPT, ...finals.values())
  }
}
