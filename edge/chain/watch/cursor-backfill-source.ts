import type { BackfillRange, BackfillSource } from '../backfill/backfill-source.ts'
import { type ChainLog, comparePositions, positionOf } from '../chain-log.ts'
import { creationFilter } from '../factory/created-contracts.ts'
import {
  type CursorDelivery,
  type CursorDeliveryOptions,
  deliverToCursor,
} from './deliver-to-cursor.ts'
import type { DeliveryCursor } from './delivery-cursor.ts'
import type { ActiveSubscription } from './subscriptions.ts'

/**
 * Provides the block ranges that cursors still need and that are older than the stored blocks. Such blocks are too far
 * below the head to be reorganized, so they need no reorg notices.
 */
export class CursorBackfillSource implements BackfillSource {
  readonly #options: CursorDeliveryOptions

  constructor(options: CursorDeliveryOptions) {
    this.#options = options
  }

  due(): BackfillRange[] {
    const { state, now } = this.#options
    const time = now()
    const due: BackfillRange[] = []
    if (state.unfinalized.through === undefined) return due
    for (const watched of state.subscriptions.all()) {
      if (watched.learningAt !== undefined) {
        due.push(...this.#learningRange(watched, watched.learningAt))
        continue
      }
      for (const cursor of [watched.live, watched.backfill]) {
        if (!cursor || cursor.isBusy || cursor.retryAt > time) continue
        const { triggerId, generation, filter } = watched
        const to = this.#lastDeliverable(watched, cursor)
        if (to >= cursor.next.block)
          due.push({ triggerId, generation, lane: cursor.kind, filter, next: cursor.next, to })
      }
    }
    return due
  }

  async deliver(
    range: BackfillRange,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<CursorDelivery['state']> {
    if (range.lane === 'learn') return this.#learn(range, logs, through)
    return this.#options.sender.runExclusive(range.triggerId, () =>
      this.#deliver(range, logs, through),
    )
  }

  /** Blocks below the stored ones. Contracts of stored blocks are learned with their logs. */
  #learningRange(
    { triggerId, generation, filter }: ActiveSubscription,
    block: number,
  ): BackfillRange[] {
    const to = this.#options.state.unfinalized.first - 1
    if (block > to || !filter.factory) return []
    const next = { block, logIndex: 0 }
    return [
      { triggerId, generation, lane: 'learn', filter: creationFilter(filter.factory), next, to },
    ]
  }

  #learn(
    { triggerId, generation, next }: BackfillRange,
    logs: readonly ChainLog[],
    through: number,
  ): CursorDelivery['state'] {
    const { subscriptions, unfinalized, transaction } = this.#options.state
    const watched = subscriptions.get(triggerId)
    if (watched?.generation !== generation || watched.learningAt !== next.block) return 'over'
    if (through >= unfinalized.first) return 'over'
    transaction(() => {
      subscriptions.learn(watched, logs)
      subscriptions.startLearning(watched, through + 1)
    })
    return 'taken'
  }

  /**
   * Returns the last block that the cursor needs, that is final for its trigger, and that is older than the stored
   * blocks.
   */
  #lastDeliverable({ watermarkKey }: ActiveSubscription, { range }: DeliveryCursor): number {
    const { watermarks, unfinalized } = this.#options.state
    const final = watermarks.get(watermarkKey) ?? -1
    return Math.min(final, range?.to ?? final, unfinalized.first - 1)
  }

  async #deliver(
    { triggerId, generation, lane, next }: BackfillRange,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<CursorDelivery['state']> {
    const { state } = this.#options
    const { subscriptions, unfinalized } = state
    const watched = subscriptions.get(triggerId)
    const cursor = lane === 'learn' ? undefined : watched?.[lane]
    if (!watched || !cursor || watched.generation !== generation) return 'over'
    const isThere = comparePositions(cursor.next, next) === 0
    if (!isThere || cursor.isBusy || through > this.#lastDeliverable(watched, cursor)) return 'over'
    const end = { block: through + 1, logIndex: 0 }
    const delivery = await deliverToCursor(this.#options, watched, cursor, logs, end)
    if (delivery.state === 'full') {
      cursor.advance(positionOf(delivery.rest!))
      state.transaction(() => subscriptions.putCursor(watched, cursor))
    }
    if (delivery.state !== 'taken') return delivery.state
    cursor.advance(end)
    state.transaction(() => {
      const hasEnded = cursor.range !== null && cursor.next.block > cursor.range.to
      if (hasEnded) subscriptions.endBackfill(watched, unfinalized.first - 1)
      else subscriptions.putCursor(watched, cursor)
    })
    return 'taken'
  }
}
