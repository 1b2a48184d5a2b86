import { dueTicks } from '../../../edge/schedule/due-ticks.ts'
import { nextTick } from '../../../edge/schedule/cron.ts'
import { utcTicks } from '../../../edge/schedule/tick-source.ts'
import { enumerate } from './enumeration.ts'

const SECOND = 1_000
const DAY = 24 * 60 * 60 * SECOND

export const TEN_YEARS = { from: Date.UTC(2026, 10, 21, 9, 30, 17), to: Date.UTC(2036, 10, 21) }

/** Covers every kind of field, leap days and months of every length, with few enough ticks for long periods. */
export const SPARSE = [
  '0 3 1 1 *',
  '0 0 29 2 *',
  '15 12 31 * *',
  '30 6 * * mon-fri',
  '0 0 L * *',
  '5 4 * * sun',
  '0 9 * * 5#2',
  '59 23 28-31 2,4 *',
  '10,50 59 23 31,1 12,1 *',
  '0 8 13 * 5',
  '20 */6 * * *',
  '7 1-23/2 */3 * *',
  '0 0 */2 * 1',
  '0/30 8 1/9 * */3',
]

/** Ticks at the minimum interval, and other dense schedules. */
export const DENSE = [
  '*/30 * * * * *',
  '15,45 * * * * *',
  '10,50 */2 * * * *',
  '* * * * *',
  '*/7 9-17 * * MON-FRI',
  '59 0-58/2 * * * *',
  '0 * * * *',
]

type Years = { from: number; to: number }

/**
 * Simulates a schedule with alarms that are up to 29 s late, and with objects that are killed before they store what
 * they fired. Every tick of the enumeration must fire once, in order.
 * @returns the number of ticks
 */
export function liveThrough(cron: string, { from, to }: Years, random: () => number): number {
  const named = enumerate(cron, from, to)
  let next = nextTick(cron, from)
  let fired = 0
  while (next !== undefined && next <= to) {
    const late = random() < 0.01 ? random() * 28 * SECOND : random() * SECOND
    let due = dueTicks(utcTicks(cron), next, next + late)
    if (random() < 0.02) due = dueTicks(utcTicks(cron), next, next + late + SECOND)
    const expected = named.next().value
    if (due.fire.length !== 1 || due.fire[0] !== expected || due.missed)
      throw new Error(`${cron}: fired ${JSON.stringify(due)} where ${expected} was due`)
    next = due.next
    fired++
  }
  const left = named.next()
  if (!left.done) throw new Error(`${cron}: ${left.value} was not fired`)
  return fired
}

/**
 * Simulates a schedule with outages of up to a week. At most the latest tick fires after an outage, and every other
 * tick of the enumeration must be counted as missed.
 * @returns the number of missed ticks
 */
export function liveWithOutages(cron: string, { from, to }: Years, random: () => number): number {
  const named: Iterator<number, undefined> = enumerate(cron, from, to + 5 * 366 * DAY)
  let ahead = named.next().value
  let next = nextTick(cron, from)
  let missed = 0
  while (next !== undefined && next <= to) {
    const now = next + (random() < 0.05 ? random() * 7 * DAY : random() * SECOND)
    const due = dueTicks(utcTicks(cron), next, now)
    const owed: number[] = []
    while (ahead !== due.next) {
      if (ahead === undefined) throw new Error(`${cron}: ${due.next} is not named`)
      owed.push(ahead)
      ahead = named.next().value
    }
    const told = due.fire.length + (due.missed?.count ?? 0)
    if (told !== owed.length || due.fire.some((tick) => tick !== owed.at(-1)))
      throw new Error(
        `${cron}: ${JSON.stringify(due)} for ${owed.length} ticks up to ${owed.at(-1)}`,
      )
    missed += due.missed?.count ?? 0
    next = due.next
  }
  return missed
}

/** Seeded generator of numbers in [0, 1) (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
