import type { BackfillRange, BackfillSource } from '../backfill/backfill-source.ts'
import type { ChainLog } from '../chain-log.ts'
import { settledProgress } from './caught-up-delivery.ts'
import { isCurrentCursor } from './lagging-delivery.ts'
import type { DeliveryCursor } from './delivery-cursor.ts'
import { backfillProgress } from './backfill-progress.ts'
import type { ActiveSubscription } from './subscriptions.ts'
import type { DeliverySender } from './delivery-sender.ts'
import type { WatchState } from './watch-state.ts'

type CursorBackfillSourceOptions = { state: WatchState; sender: DeliverySender; now: () => number }

/**
 * Block ranges that cursors still need and that are older than the stored blocks. They are so far below the head that
 * they are not reorganized and need no reorg notices.
 */
export class CursorBackfillSource implements BackfillSource {
  readonly #options: CursorBackfillSourceOptions

  constructor(options: CursorBackfillSourceOptions) {
    this.#options = options
  }

  due(): BackfillRange[] {
    const { state, now } = this.#options
    const time = now()
    const due: BackfillRange[] = []
    if (state.unfinalized.through === undefined) return due
    for (const watched of state.subscriptions.all())
      for (const cursor of [watched.live, watched.backfill]) {
        if (!cursor || cursor.isBusy || cursor.retryAt > time) continue
        const { triggerId, generation, filter } = watched
        const to = this.#lastDeliverable(watched, cursor)
        if (to >= cursor.next.block)
          due.push({ triggerId, generation, lane: cursor.kind, filter, next: cursor.next, to })
      }
    return due
  }

  async deliver(
    range: BackfillRange,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'> {
    return this.#options.sender.runExclusive(range.triggerId, () =>
      this.#deliver(range, logs, through),
    )
  }

  /** Last block that the cursor needs, that is final for its trigger, and that is older than the stored blocks. */
  #lastDeliverable({ watermarkKey }: ActiveSubscription, { range }: DeliveryCursor): number {
    const { watermarks, unfinalized } = this.#options.state
    const final = watermarks.get(watermarkKey) ?? -1
    return Math.min(final, range?.to ?? final, unfinalized.first - 1)
  }

  async #deliver(
    { triggerId, generation, lane: kind, next }: BackfillRange,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'> {
    const { state, sender, now } = this.#options
    const { subscriptions, unfinalized } = state
    const watched = subscriptions.get(triggerId)
    const cursor = watched?.[kind]
    if (!watched || !cursor || watched.generation !== generation) return 'over'
    const isThere = cursor.next.block === next.block && cursor.next.logIndex === next.logIndex
    if (!isThere || cursor.isBusy || through > this.#lastDeliverable(watched, cursor)) return 'over'
    const end = { block: through + 1, logIndex: 0 }
    const { progress, isReportDue } = backfillProgress(cursor, end, now())
    cursor.beginDelivery()
    if (logs.length > 0 || isReportDue) {
      const outcome = await sender.send(triggerId, {
        generation,
        lane: kind,
        logs,
        ...progress,
        ...settledProgress(state),
      })
      if (!isCurrentCursor(state, watched, cursor)) return 'over'
      if (outcome.state === 'over') {
        state.transaction(() => subscriptions.end(triggerId, watched.version, now()))
        return 'over'
      }
      const left = outcome.state === 'taken' ? logs[outcome.count] : logs[0]
      if (outcome.state === 'away' || left) {
        cursor.scheduleRetry(now())
        if (outcome.state === 'away') return 'away'
        cursor.advance({ block: left!.blockNumber, logIndex: left!.logIndex })
        state.transaction(() => subscriptions.putCursor(watched, cursor))
        return 'full'
      }
      cursor.clearBackoff()
      if (progress.backfillAt !== undefined) cursor.progressSentAt = now()
    }
    cursor.advance(end)
    state.transaction(() => {
      const hasEnded = cursor.range !== null && cursor.next.block > cursor.range.to
      if (hasEnded) subscriptions.endBackfill(watched, unfinalized.first - 1)
      else subscriptions.putCursor(watched, cursor)
    })
    return 'taken'
  }
}
