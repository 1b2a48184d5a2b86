import type { Stretch, Stretches } from '../backfill/stretch.ts'
import type { ChainLog } from '../chain-log.ts'
import { settledOf } from './in-step.ts'
import { isLaneOf } from './lagging.ts'
import type { LanePosition } from './lane-position.ts'
import { laneProgress } from './lane-progress.ts'
import type { Watched } from './subscriptions.ts'
import type { Teller } from './teller.ts'
import type { WatchState } from './watch-state.ts'

type StretchesOptions = { state: WatchState; teller: Teller; now: () => number }

/**
 * Block ranges that cursors still need and that are older than the stored blocks. They are so far below the head that
 * they are not reorganized and need no reorg notices.
 */
export class LaneStretches implements Stretches {
  readonly #options: StretchesOptions

  constructor(options: StretchesOptions) {
    this.#options = options
  }

  due(): Stretch[] {
    const { state, now } = this.#options
    const time = now()
    const due: Stretch[] = []
    if (state.kept.through === undefined) return due
    for (const watched of state.subscriptions.all())
      for (const lane of [watched.live, watched.backfill]) {
        if (!lane || lane.isBusy || lane.retryAt > time) continue
        const { triggerId, generation, filter } = watched
        const to = this.#last(watched, lane)
        if (to >= lane.next.block)
          due.push({ triggerId, generation, lane: lane.lane, filter, next: lane.next, to })
      }
    return due
  }

  async tell(
    stretch: Stretch,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'> {
    return this.#options.teller.alone(stretch.triggerId, () => this.#tell(stretch, logs, through))
  }

  /** Last block that the cursor needs, that is final for its trigger, and that is older than the stored blocks. */
  #last({ mark }: Watched, { range }: LanePosition): number {
    const { marks, kept } = this.#options.state
    const final = marks.of(mark) ?? -1
    return Math.min(final, range?.to ?? final, kept.first - 1)
  }

  async #tell(
    { triggerId, generation, lane: name, next }: Stretch,
    logs: readonly ChainLog[],
    through: number,
  ): Promise<'taken' | 'full' | 'over' | 'away'> {
    const { state, teller, now } = this.#options
    const { subscriptions, kept } = state
    const watched = subscriptions.get(triggerId)
    const lane = watched?.[name]
    if (!watched || !lane || watched.generation !== generation) return 'over'
    const isThere = lane.next.block === next.block && lane.next.logIndex === next.logIndex
    if (!isThere || lane.isBusy || through > this.#last(watched, lane)) return 'over'
    const end = { block: through + 1, logIndex: 0 }
    const { progress, isWorthTelling } = laneProgress(lane, end, now())
    lane.begin()
    if (logs.length > 0 || isWorthTelling) {
      const told = await teller.tell(triggerId, {
        generation,
        lane: name,
        logs,
        ...progress,
        ...settledOf(state),
      })
      if (!isLaneOf(state, watched, lane)) return 'over'
      if (told.state === 'over') {
        state.transaction(() => subscriptions.end(triggerId, watched.version, now()))
        return 'over'
      }
      const left = told.state === 'taken' ? logs[told.count] : logs[0]
      if (told.state === 'away' || left) {
        lane.refused(now())
        if (told.state === 'away') return 'away'
        lane.advance({ block: left!.blockNumber, logIndex: left!.logIndex })
        state.transaction(() => subscriptions.put(watched, lane))
        return 'full'
      }
      lane.hasRoom()
      if (progress.backfillAt !== undefined) lane.toldAt = now()
    }
    lane.advance(end)
    state.transaction(() => {
      const hasEnded = lane.range !== null && lane.next.block > lane.range.to
      if (hasEnded) subscriptions.endBackfill(watched, kept.first - 1)
      else subscriptions.put(watched, lane)
    })
    return 'taken'
  }
}
