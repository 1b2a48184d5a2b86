import { DAY_MS } from '../../shared/durations.ts'
import { SCHEDULE_INTERVAL_MIN_MS } from '../../shared/limits.ts'
import { countTicks } from './count-ticks.ts'
import { lastTicks, nextTick } from './cron.ts'
import { timesOfDay } from './cron-values.ts'
import type { TickSource } from './tick-source.ts'
import type { Segment, TimeZone } from './time-zone.ts'

/**
 * Ticks further than this from a change of the clock are not affected by it, because clocks are changed by at most a
 * day.
 */
const REACH_MS = 2 * DAY_MS

/** Only the ticks in the first minute after a change can be too close to ticks before it. */
const CROWDED_MS = 2 * SCHEDULE_INTERVAL_MIN_MS

/**
 * Ticks of a cron expression by the local time of a time zone (docs/decisions/0130). Within a segment, local times are
 * a shift of UTC, so the ticks are those of the expression in UTC, shifted back.
 *
 * If the hour field names certain hours, a local time that occurs twice fires the first time, and the local times that
 * a change skips fire together at the first instant after it. If the hour field is a wildcard, each local time fires
 * whenever it occurs.
 */
export class ZonedTicks implements TickSource {
  readonly #cron: string
  readonly #zone: TimeZone
  readonly #isEveryHour: boolean

  constructor(cron: string, zone: TimeZone) {
    this.#cron = cron
    this.#zone = zone
    this.#isEveryHour = timesOfDay(cron).hours.length === 24
  }

  next(after: number): number | undefined {
    let tick = this.#next(after)
    while (tick !== undefined && this.#isCrowded(tick)) tick = this.#next(tick)
    return tick
  }

  last(before: number, count: number): number[] {
    for (let wanted = count; ; wanted += count + 1) {
      const ticks = this.#last(before, wanted)
      const kept = ticks.filter((tick) => !this.#isCrowded(tick))
      if (kept.length >= count || ticks.length < wanted) return kept.slice(-count)
    }
  }

  count(from: number, to: number): number {
    let count = 0
    for (let at = from; at <= to;) {
      const segment = this.#zone.segmentAt(at)
      const { start, end, offset } = segment
      const [first, last] = [
        Math.max(from, firstInstant(segment, this.#isEveryHour)),
        Math.min(to, end - 1),
      ]
      count += countTicks(this.#cron, first + offset, last + offset)
      if (isChange(segment) && from < start + CROWDED_MS) {
        const isIncluded = from <= start && this.#hasCatchUp(segment)
        // The tick at the end of a gap may also be named itself.
        if (isIncluded && !this.#isNamed(start + offset)) count++
        const crowded = this.#crowded(segment)
        count -= crowded.filter((tick) => from <= tick && tick <= to).length
      }
      at = end
    }
    return count
  }

  /** Returns how a change of the clock affects the local time of a tick. */
  clockChange(tick: number): 'skipped' | 'repeated' | undefined {
    let segment = this.#zone.segmentAt(tick)
    if (segment.start === tick && this.#hasCatchUp(segment)) return 'skipped'
    if (tick < segment.repeatedUntil) return 'repeated'
    while (segment.after === segment.offset && segment.end < tick + REACH_MS)
      segment = this.#zone.segmentAt(segment.end)
    const { end, offset, after } = segment
    return tick >= end - (offset - after) ? 'repeated' : undefined
  }

  /** The next tick, regardless of the minimum interval. */
  #next(after: number): number | undefined {
    for (let from = after + 1; ;) {
      const segment = this.#zone.segmentAt(from)
      const { start, end, offset } = segment
      if (start >= from && this.#hasCatchUp(segment)) return start
      const first = Math.max(from, firstInstant(segment, this.#isEveryHour))
      const local = nextTick(this.#cron, first + offset - 1)
      if (local === undefined) return undefined
      if (local - offset < end) return local - offset
      // No local time from `from` to `local` matches, so the next tick is in the days around `local`. A change of the
      // clock soon after `from` can repeat local times before it.
      from = end - from > REACH_MS ? Math.max(end, local - offset - REACH_MS) : end
    }
  }

  /** The last ticks, regardless of the minimum interval. */
  #last(before: number, count: number): number[] {
    const found: number[] = []
    for (let to = before; found.length < count;) {
      const segment = this.#zone.segmentAt(to - 1)
      const { start, end, offset, repeatedUntil } = segment
      const first = firstInstant(segment, this.#isEveryHour) + offset
      const last = Math.min(end, to) + offset
      const locals = last > first ? lastTicks(this.#cron, last, count - found.length) : []
      const inside = locals.filter((local) => local >= first)
      found.push(...inside.map((local) => local - offset).toReversed())
      if (start < to && found.at(-1) !== start && this.#hasCatchUp(segment)) found.push(start)
      // The local times that repeat in this segment also occur before it.
      const [earlier] = lastTicks(this.#cron, Math.max(first, repeatedUntil + offset), 1)
      if (earlier === undefined) break
      to = Math.min(start, earlier - offset + REACH_MS)
    }
    return found.slice(0, count).toReversed()
  }

  /** Returns true if a change at the start of the segment skips local times that the expression names. */
  #hasCatchUp({ start, offset, before }: Segment): boolean {
    if (this.#isEveryHour || offset <= before) return false
    const local = nextTick(this.#cron, start + before - 1)
    return local !== undefined && local < start + offset
  }

  #isNamed(local: number): boolean {
    return nextTick(this.#cron, local - 1) === local
  }

  /**
   * Returns true if a tick does not fire, because a change of the clock brings it closer than the minimum interval to
   * the tick before it.
   */
  #isCrowded(tick: number): boolean {
    const segment = this.#zone.segmentAt(tick)
    return (
      isChange(segment) &&
      tick < segment.start + CROWDED_MS &&
      this.#crowded(segment).includes(tick)
    )
  }

  #crowded({ start }: Segment): number[] {
    const crowded: number[] = []
    let [kept] = this.#last(start, 1)
    let tick = this.#next(start - 1)
    while (tick !== undefined && tick < start + CROWDED_MS) {
      if (kept !== undefined && tick - kept < SCHEDULE_INTERVAL_MIN_MS) crowded.push(tick)
      else kept = tick
      tick = this.#next(tick)
    }
    return crowded
  }
}

const isChange = ({ offset, before }: Segment) => offset !== before

/** Returns the instant from which the ticks of a segment fire. Earlier local times have already fired. */
function firstInstant({ start, repeatedUntil }: Segment, isEveryHour: boolean): number {
  return isEveryHour ? start : Math.max(start, repeatedUntil)
}
