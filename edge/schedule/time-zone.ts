import { DAY_MS, SECOND_MS } from '../../shared/durations.ts'
import { memoize } from '../memoize.ts'

/**
 * A range of time with a constant offset from UTC. A long range is split, so that finding its end takes a bounded
 * number of steps. Times are in Unix milliseconds, and offsets are in milliseconds east of UTC.
 */
export type Segment = {
  /** Inclusive. */
  start: number
  /** Exclusive. */
  end: number
  offset: number
  /** Offsets immediately before the start and at the end. Equal to `offset` where a long range was split. */
  before: number
  after: number
  /** End of the local times that occur for the second time. At most `start` if there are none. */
  repeatedUntil: number
}

/** Offsets are compared once per day, so a block needs 32 comparisons. */
const BLOCK_DAYS = 32
const BLOCK_MS = BLOCK_DAYS * DAY_MS

/** About 30 years. */
const BLOCKS_CACHED = 350

/** Clocks have been set back by up to 24 hours, when a country moved across the date line. */
const REPEATED_DAYS_MAX = 2

/** The offsets of an IANA time zone, as `Intl` knows them. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat
  readonly #blocks = new Map<number, Segment[]>()

  /** @throws {RangeError} if there is no such time zone */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      timeZoneName: 'longOffset',
    })
  }

  segmentAt(instant: number): Segment {
    return this.#block(Math.floor(instant / BLOCK_MS)).findLast(({ start }) => start <= instant)!
  }

  /** Formats a time in RFC 3339 with the local offset, such as `2026-05-22T09:05:00-04:00`. */
  localTime(instant: number): string {
    const { offset } = this.segmentAt(instant)
    const local = new Date(instant + offset).toISOString().slice(0, 19)
    // RFC 3339 has no seconds in offsets. Offsets have had no seconds since 1972.
    const minutes = Math.round(Math.abs(offset) / (60 * SECOND_MS))
    const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((value) =>
      String(value).padStart(2, '0'),
    )
    return `${local}${offset < 0 ? '-' : '+'}${hour}:${minute}`
  }

  #block(index: number): Segment[] {
    const known = this.#blocks.get(index)
    if (known) return known
    if (this.#blocks.size >= BLOCKS_CACHED) this.#blocks.clear()
    const block = this.#findSegments(index * BLOCK_MS)
    this.#blocks.set(index, block)
    return block
  }

  #findSegments(start: number): Segment[] {
    const end = start + BLOCK_MS
    const inside = this.#changes(start, end).filter((at) => at < end)
    const starts = [start, ...inside.filter((at) => at > start)]
    const last = this.#changes(start - REPEATED_DAYS_MAX * DAY_MS, start).at(-1)
    return starts.map((from, at) => {
      const to = starts[at + 1] ?? end
      const offset = this.#offset(from)
      // Local times can still repeat at the start of a block.
      const change = at === 0 ? last : from
      return {
        start: from,
        end: to,
        offset,
        before: this.#offset(from - SECOND_MS),
        after: this.#offset(to),
        repeatedUntil:
          change === undefined ? from : change + this.#offset(change - SECOND_MS) - offset,
      }
    })
  }

  /** Returns the times in (from, to] at which the offset changes. Assumes at most one change per day. */
  #changes(from: number, to: number): number[] {
    const changes: number[] = []
    for (let day = from; day < to; day += DAY_MS) {
      const offset = this.#offset(day)
      if (this.#offset(day + DAY_MS) === offset) continue
      let [low, high] = [day, day + DAY_MS]
      while (high - low > SECOND_MS) {
        const middle = Math.floor((low + high) / 2 / SECOND_MS) * SECOND_MS
        if (this.#offset(middle) === offset) low = middle
        else high = middle
      }
      changes.push(high)
    }
    return changes
  }

  #offset(instant: number): number {
    const [, sign, hours = '0', minutes = '0', seconds = '0'] =
      /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(this.#format.format(instant)) ?? []
    const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND_MS
    return sign === '-' ? -size : size
  }
}

/** A formatter takes some 50 KB of memory. */
const ZONES_CACHED = 64

/** @throws {RangeError} if there is no such time zone */
export const timeZone = memoize(ZONES_CACHED, (name) => new TimeZone(name))
