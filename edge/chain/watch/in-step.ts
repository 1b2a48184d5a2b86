import type { ChainLog } from '../chain-log.ts'
import { matches } from '../matching/matches.ts'
import { LanePosition } from './lane-position.ts'
import type { Watched } from './subscriptions.ts'
import type { Teller, Told } from './teller.ts'
import type { WatchState } from './watch-state.ts'

const TOLD_AT_ONCE = 32

/** A trigger that has not responded by then becomes lagging, so that the others do not wait. */
const WAITED_MS = 5_000

/** Size of the logs that are delivered together, and therefore in memory together, as counted by `weightOf`. */
const LOGS_AT_ONCE = 2_000

/** `log` is parsed from JSON only if a trigger needs it. */
export type RoutedLog = { block: number; route: string; log: string | ChainLog }

export type InStepOptions = {
  state: WatchState
  teller: Teller
  now: () => number
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  log: (event: string, facts: Record<string, string | number>) => void
}

type Batch = { watched: Watched; logs: ChainLog[]; outcome?: Told }

/** Delivers newly finalized logs to the caught-up triggers. Writes nothing to storage for triggers without logs. */
export class InStep {
  readonly #options: InStepOptions

  constructor(options: InStepOptions) {
    this.#options = options
  }

  /**
   * @param finals latest finalized block for each watermark; blocks that have not been searched yet are delivered by a
   *   later call
   */
  async follow(finals: ReadonlyMap<string, number>): Promise<void> {
    const { state } = this.#options
    const { kept, marks } = state
    for (;;) {
      const through = kept.through
      if (through === undefined) return
      const rising = [...finals]
        .map(([mark, final]) => [mark, Math.min(final, through)] as const)
        .filter(([mark, final]) => final > (marks.of(mark) ?? final))
      if (rising.length === 0) return
      const from = Math.min(...rising.map(([mark]) => marks.of(mark)!)) + 1
      const full = kept.blockOfLog(from, LOGS_AT_ONCE)
      const until = full === undefined ? through : Math.max(from, full - 1)
      const moves = new Map(
        rising
          .map(([mark, final]) => [mark, Math.min(final, until)] as const)
          .filter(([mark, final]) => final > marks.of(mark)!),
      )
      const batches = this.#route(kept.logsIn(from, Math.max(...moves.values())), moves)
      state.transaction(() => {
        for (const { watched, logs } of batches)
          state.notices.mayFire(
            watched.triggerId,
            logs.map(({ blockNumber }) => blockNumber),
          )
      })
      await this.#move(batches, moves, () => {})
      // If the last trigger was removed, there are no watermarks to advance.
      if (kept.through === undefined) return
    }
  }

  /**
   * Delivers logs that are not stored, up to a block that is final for all triggers.
   * @param moves new position of each watermark
   * @param noted makes further changes in the transaction that advances the watermarks
   */
  async tell(
    logs: readonly RoutedLog[],
    moves: Map<string, number>,
    noted: () => void,
  ): Promise<void> {
    await this.#move(this.#route(logs, moves), moves, noted)
  }

  #route(logs: Iterable<RoutedLog>, moves: ReadonlyMap<string, number>): Batch[] {
    const { subscriptions, marks } = this.#options.state
    const batches = new Map<Watched, Batch>()
    for (const { block, route, log } of logs) {
      let parsed: ChainLog | undefined
      for (const watched of subscriptions.ofRoute(route)) {
        const to = moves.get(watched.mark)
        if (watched.live || to === undefined || block > to) continue
        if (block <= marks.of(watched.mark)! || block < watched.since) continue
        parsed ??= typeof log === 'string' ? (JSON.parse(log) as ChainLog) : log
        if (!matches(watched.filter, parsed)) continue
        const batch = batches.get(watched)
        if (batch) batch.logs.push(parsed)
        else batches.set(watched, { watched, logs: [parsed] })
      }
    }
    return [...batches.values()]
  }

  async #move(batches: Batch[], moves: Map<string, number>, noted: () => void): Promise<void> {
    const { state, now } = this.#options
    const { marks, kept } = state
    const through = kept.through
    marks.move(moves)
    try {
      await this.#tellAll(batches)
      if (kept.through !== through) return
      state.transaction(() => {
        for (const batch of batches) this.#note(batch, now())
        for (const [mark, block] of moves) marks.set(mark, block)
        noted()
      })
    } finally {
      marks.moved()
    }
  }

  /** Resolves when all triggers have responded or the deadline passes. */
  async #tellAll(batches: Batch[]): Promise<void> {
    if (batches.length === 0) return
    const { teller, sleep, state } = this.#options
    const ended = new AbortController()
    const waiting = batches.values()
    const worker = async () => {
      for (const batch of waiting) {
        const { watched, logs } = batch
        await teller.alone(watched.triggerId, async () => {
          // The subscription may have ended or started over while the delivery waited for its turn.
          if (ended.signal.aborted || !isInStep(state, watched)) return
          const outcome = await teller.tell(watched.triggerId, {
            generation: watched.generation,
            lane: 'live',
            logs,
            ...settledOf(state),
          })
          if (!ended.signal.aborted) batch.outcome = outcome
        })
      }
    }
    const workers = Array.from({ length: Math.min(TOLD_AT_ONCE, batches.length) }, worker)
    await Promise.race([Promise.all(workers), sleep(WAITED_MS, ended.signal)])
    ended.abort()
  }

  /**
   * If the trigger did not accept all logs, its live cursor starts at the first remaining log. Must be called in a
   * transaction.
   */
  #note({ watched, logs, outcome }: Batch, now: number): void {
    const { state, log } = this.#options
    if (!isInStep(state, watched)) return
    if (outcome?.state === 'over')
      return state.subscriptions.end(watched.triggerId, watched.version, now)
    const taken = outcome?.state === 'taken' ? outcome.count : 0
    const next = logs[taken]
    if (!next) return
    watched.live = new LanePosition('live', { block: next.blockNumber, logIndex: next.logIndex })
    watched.live.refused(now)
    state.subscriptions.put(watched, watched.live)
    log('chain.behind', { trigger: watched.triggerId })
  }
}

/** Blocks below the stored ones are settled: they can no longer be reorganized. */
export function settledOf({ kept }: WatchState): { settledThrough?: number } {
  return kept.first > 0 ? { settledThrough: kept.first - 1 } : {}
}

function isInStep({ subscriptions }: WatchState, watched: Watched): boolean {
  return subscriptions.isCurrent(watched) && watched.live === undefined
}
