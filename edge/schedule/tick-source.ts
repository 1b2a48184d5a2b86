import { countTicks } from './count-ticks.ts'
import { lastTicks, nextTick } from './cron.ts'

/** The ticks of a schedule. All times are in Unix milliseconds. */
export type TickSource = {
  /** Returns the first tick after a time, or undefined if there is none. */
  next: (after: number) => number | undefined
  /** Returns up to `count` ticks before a time, oldest first. */
  last: (before: number, count: number) => number[]
  /** Counts the ticks between two times, both inclusive. */
  count: (from: number, to: number) => number
  /** True if the schedule has a single tick, at a given time. */
  isOneOff?: true
}

/** Ticks of a cron expression in UTC. */
export const utcTicks = (cron: string): TickSource => ({
  next: (after) => nextTick(cron, after),
  last: (before, count) => lastTicks(cron, before, count),
  count: (from, to) => countTicks(cron, from, to),
})

/** The single tick of a schedule without a cron expression. */
export const oneOffTick = (at: number): TickSource => ({
  next: (after) => (at > after ? at : undefined),
  last: (before) => (at < before ? [at] : []),
  count: (from, to) => (from <= at && at <= to ? 1 : 0),
  isOneOff: true,
})

/** Restricts ticks to a range of times, both inclusive. */
export const boundedTicks = (
  ticks: TickSource,
  {
    from = Number.NEGATIVE_INFINITY,
    to = Number.POSITIVE_INFINITY,
  }: { from?: number | undefined; to?: number | undefined },
): TickSource => ({
  next: (after) => {
    const tick = ticks.next(Math.max(after, from - 1))
    return tick === undefined || tick > to ? undefined : tick
  },
  last: (before, count) =>
    ticks.last(Math.min(before, to + 1), count).filter((tick) => tick >= from),
  count: (first, last) => {
    const [least, most] = [Math.max(first, from), Math.min(last, to)]
    return most < least ? 0 : ticks.count(least, most)
  },
})
