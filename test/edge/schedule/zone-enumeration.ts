/**
 * An independent enumeration of cron expressions by the local time of a time zone. It steps through every minute with
 * the offset that `Intl` returns, and compares the local time with the fields of the expression.
 */
import { enumerateDays, timesOfCron } from './enumeration.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const INTERVAL_MIN = 30_000

/** Zones with unusual rules, and others. */
export const ZONES = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Havana',
  'America/New_York',
  'America/Santiago',
  'America/Sao_Paulo',
  'Antarctica/Troll',
  'Asia/Gaza',
  'Asia/Jerusalem',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Moscow',
  'Pacific/Apia',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
]

/** `Intl` is asked once per block, and for every minute of a block in which the offset changes. */
const BLOCK = 6 * HOUR

/** Returns the offset of every minute. */
export class MinuteOffsets {
  readonly #format: Intl.DateTimeFormat
  readonly #blocks = new Map<number, number | Int32Array>()
  readonly #asked = new Map<number, number>()
  #latest: { start: number; offset: number | Int32Array } = { start: Number.NaN, offset: 0 }

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  at(minute: number): number {
    const start = Math.floor(minute / BLOCK) * BLOCK
    if (this.#latest.start !== start) this.#latest = { start, offset: this.#block(start) }
    const { offset } = this.#latest
    return typeof offset === 'number' ? offset : offset[(minute - start) / MINUTE]!
  }

  #block(start: number): number | Int32Array {
    let known = this.#blocks.get(start)
    if (known === undefined) {
      known = this.#ask(start)
      if (this.#ask(start + BLOCK) !== known)
        known = Int32Array.from({ length: BLOCK / MINUTE }, (_, at) =>
          this.#ask(start + at * MINUTE),
        )
      this.#blocks.set(start, known)
    }
    return known
  }

  /** Returns the minutes in [from, to) at which the offset differs from the minute before. */
  *changes(from: number, to: number): Generator<number, void> {
    let before = this.at(from - MINUTE)
    for (let start = from; start < to; start += BLOCK) {
      if (this.at(start + BLOCK - MINUTE) === before) continue
      for (let minute = start; minute < start + BLOCK; minute += MINUTE) {
        const offset = this.at(minute)
        if (offset !== before) yield minute
        before = offset
      }
    }
  }

  #ask(instant: number): number {
    const known = this.#asked.get(instant)
    if (known !== undefined) return known
    const [month, day, year, hour, minute, second] = this.#format
      .format(instant)
      .split(/\D+/)
      .map(Number)
    const offset = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - instant
    this.#asked.set(instant, offset)
    return offset
  }
}

/**
 * Yields every tick in [from, to), ascending. A local minute that has occurred before is skipped, and skipped local
 * minutes fire together at the first minute after them, unless the hour field is a wildcard.
 * @param from a full minute. The local time must not repeat within a day before
 */
export function* enumerateZone(
  cron: string,
  offsets: MinuteOffsets,
  from: number,
  to: number,
): Generator<number, void> {
  const matches = minuteTest(cron, from, to)
  const isEveryHour = new Set(timesOfCron(cron).map((time) => Math.floor(time / HOUR))).size === 24
  let highest = from - 2 * DAY + offsets.at(from - 2 * DAY)
  let kept = Number.NEGATIVE_INFINITY
  for (let minute = from - 2 * DAY; minute < to; minute += MINUTE) {
    const local = minute + offsets.at(minute)
    const ticks: number[] = []
    if (!isEveryHour)
      for (let skipped = highest + MINUTE; skipped < local; skipped += MINUTE)
        if (matches(skipped).length > 0) {
          ticks.push(minute)
          break
        }
    if (isEveryHour || local > highest)
      for (const second of matches(local)) {
        const tick = minute + second
        if (ticks.at(-1) !== tick) ticks.push(tick)
      }
    highest = Math.max(highest, local)
    for (const tick of ticks) {
      if (tick - kept < INTERVAL_MIN) continue
      kept = tick
      if (tick >= from) yield tick
    }
  }
}

const NO_SECONDS: number[] = []

/** Returns the milliseconds of a local minute at which an expression fires. */
function minuteTest(cron: string, from: number, to: number): (local: number) => number[] {
  const seconds: number[][] = Array.from({ length: 1440 }, () => NO_SECONDS)
  for (const time of timesOfCron(cron)) {
    const minute = Math.floor(time / MINUTE)
    seconds[minute] = [...seconds[minute]!, time % MINUTE]
  }
  const days = new Set(enumerateDays(cron, from - 5 * DAY, to + 2 * DAY))
  return (local) => {
    const day = Math.floor(local / DAY) * DAY
    const times = seconds[(local - day) / MINUTE]!
    return times.length > 0 && days.has(day) ? times : NO_SECONDS
  }
}
