import { weightOf } from '../backfill/log-density.ts'
import type { ChainLog, Position } from '../chain-log.ts'
import { matches } from '../matching/matches.ts'
import { settledOf } from './in-step.ts'
import type { LanePosition } from './lane-position.ts'
import { laneProgress } from './lane-progress.ts'
import type { Watched } from './subscriptions.ts'
import type { Teller } from './teller.ts'
import type { WatchState } from './watch-state.ts'

const TOLD_AT_ONCE = 32

/**
 * Size of the logs read for one cursor at a time, as counted by `weightOf`. The logs of all cursors are in memory at
 * the same time.
 */
const LOGS_AT_ONCE = 200

type LaggingOptions = {
  state: WatchState
  teller: Teller
  now: () => number
}

/**
 * Delivers finalized logs of stored blocks to each lagging cursor until it has caught up, and reorg notices to triggers
 * that have no logs to receive.
 */
export class Lagging {
  readonly #options: LaggingOptions
  readonly #waiting: (() => Promise<void>)[] = []
  /** Triggers with a reorg notice that is queued or in flight. */
  readonly #notified = new Set<string>()
  #working = 0

  constructor(options: LaggingOptions) {
    this.#options = options
  }

  /** Starts all deliveries that are due, and resolves when they have finished. Never throws. */
  async tend(): Promise<void> {
    const { state, now } = this.#options
    const time = now()
    for (const watched of state.subscriptions.all())
      for (const lane of [watched.live, watched.backfill])
        if (lane?.isResting) this.#endBackfill(watched, lane)
        else if (lane && !lane.isBusy && lane.retryAt <= time && this.#isKept(watched, lane)) {
          lane.isBusy = true
          this.#waiting.push(() => this.#tell(watched, lane))
        }
    for (const triggerId of state.notices.triggers()) {
      if (this.#notified.has(triggerId)) continue
      this.#notified.add(triggerId)
      this.#waiting.push(() => this.#notify(triggerId))
    }
    const free = Math.min(TOLD_AT_ONCE - this.#working, this.#waiting.length)
    await Promise.all(Array.from({ length: free }, () => this.#work()))
  }

  async #work(): Promise<void> {
    this.#working++
    try {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next()
    } finally {
      this.#working--
    }
  }

  async #tell(watched: Watched, lane: LanePosition): Promise<void> {
    const { teller } = this.#options
    try {
      while (await teller.alone(watched.triggerId, () => this.#page(watched, lane)));
    } catch {
      // Storage failed. The next call retries from the stored position of the cursor.
    } finally {
      lane.isBusy = false
    }
  }

  /** If false, the backfill reads the blocks that the cursor needs next. */
  #isKept({ coveredFrom }: Watched, { next }: LanePosition): boolean {
    const { kept } = this.#options.state
    return next.block >= kept.first && coveredFrom !== undefined && next.block >= coveredFrom
  }

  /** Returns true if there may be more logs to deliver. */
  async #page(watched: Watched, lane: LanePosition): Promise<boolean> {
    const { state, teller, now } = this.#options
    const { kept, marks, notices } = state
    const mark = marks.of(watched.mark)
    if (!isLaneOf(state, watched, lane) || lane.isResting) return false
    if (mark === undefined || !this.#isKept(watched, lane)) return false
    const last = Math.min(mark, lane.range?.to ?? mark)
    const hasEnded = lane.range !== null && lane.next.block > lane.range.to
    if (lane.next.block > last && !hasEnded) {
      this.#join(watched, lane, mark)
      return false
    }
    const rows = kept.logsOfRoute(watched.route, lane.next, last, LOGS_AT_ONCE)
    const logs = rows.filter((log) => matches(watched.filter, log))
    const isAll = weightOf(rows) < LOGS_AT_ONCE
    const end = isAll ? { block: last + 1, logIndex: 0 } : behind(rows.at(-1)!)
    const { progress, isWorthTelling } = laneProgress(lane, end, now())
    lane.begin()
    if (logs.length > 0)
      state.transaction(() =>
        notices.mayFire(
          watched.triggerId,
          logs.map(({ blockNumber }) => blockNumber),
        ),
      )
    if (logs.length === 0 && !isWorthTelling) {
      this.#advance(watched, lane, end)
      return true
    }
    const told = await teller.tell(watched.triggerId, {
      generation: watched.generation,
      lane: lane.lane,
      logs,
      ...progress,
      ...settledOf(state),
    })
    if (!isLaneOf(state, watched, lane)) return false
    if (told.state === 'over') {
      state.transaction(() => state.subscriptions.end(watched.triggerId, watched.version, now()))
      return false
    }
    const next = told.state === 'away' ? logs[0] : logs[told.count]
    if (told.state === 'away' || next) {
      if (next) this.#advance(watched, lane, { block: next.blockNumber, logIndex: next.logIndex })
      lane.refused(now())
      return false
    }
    lane.hasRoom()
    if (progress.backfillAt !== undefined) lane.toldAt = now()
    this.#advance(watched, lane, end)
    if (progress.backfillAt === null && lane.next.block > lane.range!.to)
      this.#endBackfill(watched, lane)
    return true
  }

  #endBackfill(watched: Watched, lane: LanePosition): void {
    const { state } = this.#options
    const settled = state.kept.first - 1
    if (lane.isResting && lane.range!.to > settled) return
    state.transaction(() => state.subscriptions.endBackfill(watched, settled))
  }

  #advance(watched: Watched, lane: LanePosition, to: Position): void {
    const { block, logIndex } = lane.next
    lane.advance(to)
    if (lane.next.block === block && lane.next.logIndex === logIndex) return
    const { state } = this.#options
    state.transaction(() => state.subscriptions.put(watched, lane))
  }

  /**
   * A live cursor has caught up if it is exactly at its watermark. After a change to a deeper finality, it waits for
   * the watermark to reach it.
   */
  #join(watched: Watched, lane: LanePosition, mark: number): void {
    const { state } = this.#options
    const { block, logIndex } = lane.next
    if (lane.lane !== 'live' || state.marks.isMoving(watched.mark) || logIndex !== 0) return
    if (block === mark + 1 || block === watched.since)
      state.transaction(() => state.subscriptions.join(watched))
  }

  /** Without logs, for a trigger that has no logs to receive or is no longer subscribed. */
  async #notify(triggerId: string): Promise<void> {
    const { state, teller } = this.#options
    try {
      await teller.alone(triggerId, async () => {
        if (!state.notices.of(triggerId)) return
        const generation = state.subscriptions.get(triggerId)?.generation ?? 0
        await teller.tell(triggerId, { generation, lane: 'live', logs: [] })
      })
    } catch {
      // The delivery failed, so the reorg notice stays pending.
    } finally {
      this.#notified.delete(triggerId)
    }
  }
}

/** True if the subscription is current and still uses this cursor. */
export function isLaneOf(state: WatchState, watched: Watched, lane: LanePosition): boolean {
  return state.subscriptions.isCurrent(watched) && watched[lane.lane] === lane
}

function behind({ blockNumber, logIndex }: ChainLog): Position {
  return { block: blockNumber, logIndex: logIndex + 1 }
}
