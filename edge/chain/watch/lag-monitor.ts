import { MINUTE_MS } from '../../../shared/durations.ts'

/** Time without progress after which a chain lags. Nodes and reorganizations can delay a chain for some minutes. */
export const LAGGING_MS = 10 * MINUTE_MS

/**
 * Cause of a lag: no node responds, the nodes report no new blocks, or the watcher has not searched the blocks that
 * they report.
 */
export type LagCode = 'nodes_unavailable' | 'head_not_moving' | 'watcher_behind'

/** Cause of a lag, and the time of the last progress. */
export type ChainLag = { code: LagCode; since: number }

export type WatcherProgress = {
  head: number | null
  /** Last block that was searched for logs. Null before the first poll. */
  lookedThrough: number | null
  /** Time of the last response from a node. Null before the first response. */
  answeredAt: number | null
}

/**
 * Detects that a chain lags. A chain makes progress when the watcher has searched a new head. The monitor compares
 * numbers in memory, and sends no requests.
 */
export class LagMonitor {
  #caughtUpThrough: number | undefined
  #progressAt: number

  /** @param stored progress of a previous incarnation, whose `answeredAt` is the time at which the head last changed */
  constructor({ head, lookedThrough, answeredAt }: WatcherProgress, now: number) {
    const wasCaughtUp = lookedThrough !== null && lookedThrough === head
    this.#caughtUpThrough = wasCaughtUp ? lookedThrough : undefined
    this.#progressAt = wasCaughtUp ? (answeredAt ?? now) : now
  }

  /** Called when the chain gets its first trigger. */
  restart(now: number): void {
    this.#caughtUpThrough = undefined
    this.#progressAt = now
  }

  /** Called after each poll. */
  update({ head, lookedThrough, answeredAt }: WatcherProgress, now: number): ChainLag | undefined {
    if (
      lookedThrough !== null &&
      lookedThrough === head &&
      lookedThrough !== this.#caughtUpThrough
    ) {
      this.#caughtUpThrough = lookedThrough
      this.#progressAt = now
    }
    // A negative time means that the clock was set back.
    if (now < this.#progressAt) this.#progressAt = now
    if (now - this.#progressAt < LAGGING_MS) return undefined
    const since = this.#progressAt
    if (answeredAt === null || now - answeredAt >= LAGGING_MS)
      return { code: 'nodes_unavailable', since }
    return { code: lookedThrough === head ? 'head_not_moving' : 'watcher_behind', since }
  }
}
