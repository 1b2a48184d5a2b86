import { weightOf } from '../backfill/log-density.ts'
import { type ChainLog, comparePositions, type LogPosition, positionOf } from '../chain-log.ts'
import { matchesFilter } from '../matching/log-matching.ts'
import { DELIVERIES_AT_ONCE } from '../subscription.ts'
import {
  type CursorDeliveryOptions,
  deliverToCursor,
  isCurrentCursor,
} from './deliver-to-cursor.ts'
import type { DeliveryCursor } from './delivery-cursor.ts'
import { type ActiveSubscription, isFactoryFull } from './subscriptions.ts'

/**
 * Maximum size of the logs that are read for one cursor at a time, as measured by `weightOf`. The logs of all cursors
 * are in memory at the same time.
 */
const LOGS_AT_ONCE = 200

/**
 * Delivers finalized logs of stored blocks to each lagging cursor until it has caught up. Also delivers reorg notices
 * to triggers that have no logs to receive.
 */
export class LaggingDelivery {
  readonly #options: CursorDeliveryOptions
  readonly #queue: (() => Promise<void>)[] = []
  /** IDs of triggers with a reorg notice that is queued or in flight. */
  readonly #notified = new Set<string>()
  #workers = 0

  constructor(options: CursorDeliveryOptions) {
    this.#options = options
  }

  /** Starts all deliveries that are due, and resolves when they have finished. Never throws. */
  async deliverDue(): Promise<void> {
    const { state, now } = this.#options
    const time = now()
    for (const watched of state.subscriptions.all())
      for (const cursor of [watched.live, watched.backfill])
        if (cursor?.isComplete) this.#endBackfill(watched, cursor)
        else if (
          cursor &&
          !cursor.isBusy &&
          cursor.retryAt <= time &&
          this.#isStored(watched, cursor)
        ) {
          cursor.isBusy = true
          this.#queue.push(() => this.#deliverCursor(watched, cursor))
        }
    for (const watched of state.subscriptions.all())
      if (isFactoryFull(watched) && !this.#notified.has(watched.triggerId)) {
        this.#notified.add(watched.triggerId)
        this.#queue.push(() => this.#reportFull(watched))
      }
    for (const triggerId of state.notices.triggers()) {
      if (this.#notified.has(triggerId)) continue
      this.#notified.add(triggerId)
      this.#queue.push(() => this.#notify(triggerId))
    }
    const free = Math.min(DELIVERIES_AT_ONCE - this.#workers, this.#queue.length)
    await Promise.all(Array.from({ length: free }, () => this.#drain()))
  }

  async #drain(): Promise<void> {
    this.#workers++
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) await next()
    } finally {
      this.#workers--
    }
  }

  async #deliverCursor(watched: ActiveSubscription, cursor: DeliveryCursor): Promise<void> {
    const { sender } = this.#options
    try {
      while (
        await sender.runExclusive(watched.triggerId, () => this.#deliverPage(watched, cursor))
      );
    } catch {
      // Storage failed. The next call retries from the stored position of the cursor.
    } finally {
      cursor.isBusy = false
    }
  }

  /** Returns true if the blocks that the cursor needs next are stored. Otherwise, the backfill reads them. */
  #isStored({ coveredFrom }: ActiveSubscription, { next }: DeliveryCursor): boolean {
    const { unfinalized } = this.#options.state
    return next.block >= unfinalized.first && coveredFrom !== undefined && next.block >= coveredFrom
  }

  /** Returns true if there may be more logs to deliver. */
  async #deliverPage(watched: ActiveSubscription, cursor: DeliveryCursor): Promise<boolean> {
    const { state } = this.#options
    const { unfinalized, watermarks, notices } = state
    const watermark = watermarks.get(watched.watermarkKey)
    if (!isCurrentCursor(state, watched, cursor) || cursor.isComplete) return false
    if (watermark === undefined || !this.#isStored(watched, cursor)) return false
    const last = Math.min(watermark, cursor.range?.to ?? watermark)
    const hasEnded = cursor.range !== null && cursor.next.block > cursor.range.to
    if (cursor.next.block > last && !hasEnded) {
      this.#rejoin(watched, cursor, watermark)
      return false
    }
    const rows = unfinalized.logsOfRoute(watched.route, cursor.next, last, LOGS_AT_ONCE)
    const logs = rows.filter((log) => matchesFilter(watched.filter, log))
    const isAll = weightOf(rows) < LOGS_AT_ONCE
    const end = isAll ? { block: last + 1, logIndex: 0 } : positionAfter(rows.at(-1)!)
    if (logs.length > 0)
      state.transaction(() =>
        notices.recordDelivery(
          watched.triggerId,
          logs.map(({ blockNumber }) => blockNumber),
        ),
      )
    const delivery = await deliverToCursor(this.#options, watched, cursor, logs, end)
    if (delivery.state === 'over') return false
    if (delivery.state !== 'taken') {
      if (delivery.rest) this.#advance(watched, cursor, positionOf(delivery.rest))
      return false
    }
    this.#advance(watched, cursor, end)
    if (cursor.range && cursor.next.block > cursor.range.to) this.#endBackfill(watched, cursor)
    return true
  }

  #endBackfill(watched: ActiveSubscription, cursor: DeliveryCursor): void {
    const { state } = this.#options
    const settled = state.unfinalized.first - 1
    if (cursor.isComplete && cursor.range!.to > settled) return
    state.transaction(() => state.subscriptions.endBackfill(watched, settled))
  }

  #advance(watched: ActiveSubscription, cursor: DeliveryCursor, to: LogPosition): void {
    const before = cursor.next
    cursor.advance(to)
    if (comparePositions(cursor.next, before) === 0) return
    const { state } = this.#options
    state.transaction(() => state.subscriptions.putCursor(watched, cursor))
  }

  /**
   * Marks a live cursor as caught up if it is exactly at its watermark. After a change to a deeper finality, the cursor
   * waits until the watermark reaches it.
   */
  #rejoin(watched: ActiveSubscription, cursor: DeliveryCursor, watermark: number): void {
    const { state } = this.#options
    const { block, logIndex } = cursor.next
    if (cursor.kind !== 'live' || state.watermarks.isMoving(watched.watermarkKey) || logIndex !== 0)
      return
    if (block === watermark + 1 || block === watched.since)
      state.transaction(() => state.subscriptions.markCaughtUp(watched))
  }

  /** Notifies a trigger that its factory has too many contracts. Repeated until the trigger has ended its subscription. */
  async #reportFull({ triggerId, generation, version }: ActiveSubscription): Promise<void> {
    const { state, sender, now } = this.#options
    try {
      await sender.runExclusive(triggerId, async () => {
        const outcome = await sender.send(triggerId, {
          generation,
          lane: 'live',
          logs: [],
          isFactoryFull: true,
        })
        if (outcome.state === 'over' && state.subscriptions.get(triggerId)?.version === version)
          state.transaction(() => state.subscriptions.end(triggerId, version, now()))
      })
    } catch {
      // Storage failed. The next call reports it again.
    } finally {
      this.#notified.delete(triggerId)
    }
  }

  /** Delivers a reorg notice without logs, to a trigger that has no logs to receive or is no longer subscribed. */
  async #notify(triggerId: string): Promise<void> {
    const { state, sender } = this.#options
    try {
      await sender.runExclusive(triggerId, async () => {
        if (!state.notices.of(triggerId)) return
        const generation = state.subscriptions.get(triggerId)?.generation ?? 0
        await sender.send(triggerId, { generation, lane: 'live', logs: [] })
      })
    } catch {
      // The delivery failed, so the reorg notice stays pending.
    } finally {
      this.#notified.delete(triggerId)
    }
  }
}

function positionAfter({ blockNumber, logIndex }: ChainLog): LogPosition {
  return { block: blockNumber, logIndex: logIndex + 1 }
}
