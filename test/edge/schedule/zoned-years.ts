import { TimeZone } from '../../../edge/schedule/time-zone.ts'
import { ZonedTicks } from '../../../edge/schedule/zoned-ticks.ts'
import { enumerateZone, MinuteOffsets } from './zone-enumeration.ts'

const DAY = 24 * 60 * 60 * 1000

/** Contains the day that Samoa skipped, and changes of the rules in Russia, Iran, Brazil, Egypt and Morocco. */
export const PAST_YEARS = { from: Date.UTC(2010, 0, 1), to: Date.UTC(2020, 0, 1) }
export const COMING_YEARS = { from: Date.UTC(2026, 10, 21), to: Date.UTC(2036, 10, 21) }

/** Few ticks a day, mostly at hours at which clocks change. */
export const SPARSE_LOCAL = [
  '30 2 * * *',
  '0 0 * * *',
  '15,45 0-3 * * *',
  '0 1,23 * * 0,6',
  '30 * * * 0',
  '10,50 59,30 1,2 * * *',
  '0 12 L * *',
  '59 23 * * FRI,SAT,SUN',
]

/** Compared only in the days around changes of the clock. */
export const DENSE_LOCAL = ['*/30 * * * * *', '10,50 30,59 * * * *', '*/7 0-4,22-23 * * *']

type Years = { from: number; to: number }

/**
 * Compares the ticks of an expression, forwards, backwards and counted, with an enumeration by the minute.
 * @returns the number of ticks
 */
export function compareTicks(
  cron: string,
  zone: string,
  offsets: MinuteOffsets,
  { from, to }: Years,
): number {
  const ticks = new ZonedTicks(cron, new TimeZone(zone))
  const expected = [...enumerateZone(cron, offsets, from, to)]
  const found: number[] = []
  let tick = ticks.next(from - 1)
  while (tick !== undefined && tick < to) {
    found.push(tick)
    tick = ticks.next(tick)
  }
  requireSame(`${cron} in ${zone}`, found, expected)
  requireSame(`${cron} in ${zone}, backwards`, ticks.last(to, 100), expected.slice(-100), from)
  const count = ticks.count(from, to - 1)
  if (count !== expected.length)
    throw new Error(`${cron} in ${zone}: counted ${count} ticks instead of ${expected.length}`)
  return expected.length
}

/** Compares the ticks in the six days around each change of the clock. */
export function compareAroundChanges(
  cron: string,
  zone: string,
  offsets: MinuteOffsets,
  { from, to }: Years,
): number {
  let ticks = 0
  for (const change of offsets.changes(from, to)) {
    const days = { from: change - 3 * DAY, to: change + 3 * DAY }
    ticks += compareTicks(cron, zone, offsets, days)
  }
  return ticks
}

function requireSame(what: string, found: number[], expected: number[], from = 0): void {
  const inside = found.filter((tick) => tick >= from)
  for (let at = 0; at < Math.max(inside.length, expected.length); at++)
    if (inside[at] !== expected[at])
      throw new Error(`${what}: tick ${at} is ${iso(inside[at])} instead of ${iso(expected[at])}`)
}

const iso = (tick: number | undefined) =>
  tick === undefined ? 'missing' : new Date(tick).toISOString()
