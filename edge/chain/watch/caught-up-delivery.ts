import type { Sleep } from '../../sleep.ts'
import { type ChainLog, positionOf } from '../chain-log.ts'
import { matchesFilter } from '../matching/log-matching.ts'
import { DELIVERIES_AT_ONCE } from '../subscription.ts'
import { DeliveryCursor } from './delivery-cursor.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import type { DeliverySender, DeliveryOutcome } from './delivery-sender.ts'
import type { WatchState } from './watch-state.ts'

/**
 * Timeout of a delivery to all triggers. A trigger that has not responded by then becomes lagging, so that the other
 * triggers do not have to wait.
 */
const DELIVERY_TIMEOUT_MS = 5_000

/** Maximum size of logs that are delivered together and are in memory at the same time, as measured by `weightOf`. */
const LOGS_AT_ONCE = 2_000

/** Stored logs are parsed from JSON only if a trigger needs them. */
type RoutedLog = { block: number; route: string; log: string | ChainLog }

type CaughtUpDeliveryOptions = {
  state: WatchState
  sender: DeliverySender
  now: () => number
  sleep: Sleep
  log: (event: string, facts: Record<string, string | number>) => void
}

type Batch = { watched: ActiveSubscription; logs: ChainLog[]; outcome?: DeliveryOutcome }

/** Delivers newly finalized logs to caught-up triggers. Does not write to storage for triggers without logs. */
export class CaughtUpDelivery {
  readonly #options: CaughtUpDeliveryOptions

  constructor(options: CaughtUpDeliveryOptions) {
    this.#options = options
  }

  /**
   * Delivers stored logs that are now final.
   * @param finals latest finalized block for each watermark; blocks that have not been searched yet are delivered by a
   *   later call
   */
  async deliverUpTo(finals: ReadonlyMap<string, number>): Promise<void> {
    const { state } = this.#options
    const { unfinalized, watermarks } = state
    for (;;) {
      const through = unfinalized.through
      if (through === undefined) return
      const rising = [...finals]
        .map(([mark, final]) => [mark, Math.min(final, through)] as const)
        .filter(([mark, final]) => final > (watermarks.get(mark) ?? final))
      if (rising.length === 0) return
      const from = Math.min(...rising.map(([mark]) => watermarks.get(mark)!)) + 1
      const full = unfinalized.blockAtWeight(from, LOGS_AT_ONCE)
      const until = full === undefined ? through : Math.max(from, full - 1)
      const moves = new Map(
        rising
          .map(([mark, final]) => [mark, Math.min(final, until)] as const)
          .filter(([mark, final]) => final > watermarks.get(mark)!),
      )
      const batches = this.#groupByTrigger(
        unfinalized.logsIn(from, Math.max(...moves.values())),
        moves,
      )
      state.transaction(() => {
        for (const { watched, logs } of batches)
          state.notices.recordDelivery(
            watched.triggerId,
            logs.map(({ blockNumber }) => blockNumber),
          )
      })
      await this.#deliverAndAdvance(batches, moves, () => {})
      // No watermarks are left to advance if the last trigger was removed in the meantime.
      if (unfinalized.through === undefined) return
    }
  }

  /**
   * Delivers logs that are not stored, up to a block that is final for all triggers.
   * @param moves new position of each watermark
   * @param alsoCommit makes further changes in the transaction that advances the watermarks
   */
  async deliver(
    logs: readonly RoutedLog[],
    moves: Map<string, number>,
    alsoCommit: () => void,
  ): Promise<void> {
    await this.#deliverAndAdvance(this.#groupByTrigger(logs, moves), moves, alsoCommit)
  }

  #groupByTrigger(logs: Iterable<RoutedLog>, moves: ReadonlyMap<string, number>): Batch[] {
    const { subscriptions, watermarks } = this.#options.state
    const batches = new Map<ActiveSubscription, Batch>()
    for (const { block, route, log } of logs) {
      let parsed: ChainLog | undefined
      for (const watched of subscriptions.watching(route)) {
        const to = moves.get(watched.watermarkKey)
        if (watched.live || to === undefined || block > to) continue
        if (block <= watermarks.get(watched.watermarkKey)! || block < watched.since) continue
        parsed ??= typeof log === 'string' ? (JSON.parse(log) as ChainLog) : log
        if (!matchesFilter(watched.filter, parsed)) continue
        const batch = batches.get(watched)
        if (batch) batch.logs.push(parsed)
        else batches.set(watched, { watched, logs: [parsed] })
      }
    }
    return [...batches.values()]
  }

  async #deliverAndAdvance(
    batches: Batch[],
    moves: Map<string, number>,
    alsoCommit: () => void,
  ): Promise<void> {
    const { state, now } = this.#options
    const { watermarks, unfinalized } = state
    const through = unfinalized.through
    watermarks.beginMove(moves)
    try {
      await this.#sendAll(batches)
      if (unfinalized.through !== through) return
      state.transaction(() => {
        for (const batch of batches) this.#recordOutcome(batch, now())
        for (const [mark, block] of moves) watermarks.set(mark, block)
        alsoCommit()
      })
    } finally {
      watermarks.endMove()
    }
  }

  /** Resolves when all triggers have responded or the timeout expires. */
  async #sendAll(batches: Batch[]): Promise<void> {
    if (batches.length === 0) return
    const { sender, sleep, state } = this.#options
    const ended = new AbortController()
    const waiting = batches.values()
    const worker = async () => {
      for (const batch of waiting) {
        const { watched, logs } = batch
        await sender.runExclusive(watched.triggerId, async () => {
          // The subscription may have ended or been restarted while the delivery was queued.
          if (ended.signal.aborted || !isCaughtUp(state, watched)) return
          const outcome = await sender.send(watched.triggerId, {
            generation: watched.generation,
            lane: 'live',
            logs,
            ...settledProgress(state),
          })
          if (!ended.signal.aborted) batch.outcome = outcome
        })
      }
    }
    const workers = Array.from({ length: Math.min(DELIVERIES_AT_ONCE, batches.length) }, worker)
    await Promise.race([Promise.all(workers), sleep(DELIVERY_TIMEOUT_MS, ended.signal)])
    ended.abort()
  }

  /**
   * Records the outcome of a delivery. If the trigger did not accept all logs, its live cursor starts at the first
   * remaining log. Must be called in a transaction.
   */
  #recordOutcome({ watched, logs, outcome }: Batch, now: number): void {
    const { state, log } = this.#options
    if (!isCaughtUp(state, watched)) return
    if (outcome?.state === 'over')
      return state.subscriptions.end(watched.triggerId, watched.version, now)
    const accepted = outcome?.state === 'taken' ? outcome.count : 0
    const next = logs[accepted]
    if (!next) return
    watched.live = new DeliveryCursor('live', positionOf(next))
    watched.live.scheduleRetry(now)
    state.subscriptions.putCursor(watched, watched.live)
    log('chain.behind', { trigger: watched.triggerId })
  }
}

/** Returns the latest block that can no longer be reorganized, which is the block below the lowest stored block. */
export function settledProgress({ unfinalized }: WatchState): { settledThrough?: number } {
  return unfinalized.first > 0 ? { settledThrough: unfinalized.first - 1 } : {}
}

function isCaughtUp({ subscriptions }: WatchState, watched: ActiveSubscription): boolean {
  return subscriptions.isCurrent(watched) && watched.live === undefined
}
