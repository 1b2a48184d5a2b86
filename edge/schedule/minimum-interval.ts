import type { TimesOfDay } from './cron.ts'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S

/**
 * How far apart two ticks are at the least, proven from the sets of seconds, minutes and hours: the two nearest are
 * in one minute, or the last of one minute and the first of the next that is named, and so on up to days. Every day
 * counts as the neighbour of every other, which is strict with crons of few days: their ticks around midnight are
 * refused though they never meet. Sampling would be wrong the other way (`reference/triggers.md` 3.3).
 * @returns seconds
 */
export function minimumInterval({ seconds, minutes, hours }: TimesOfDay): number {
  const ofSeconds = span(seconds)
  const ofMinutes = span(minutes) * MINUTE_S + ofSeconds
  const ofHours = span(hours) * HOUR_S + ofMinutes
  return Math.min(
    nearest(seconds),
    nearest(minutes) * MINUTE_S - ofSeconds,
    nearest(hours) * HOUR_S - ofMinutes,
    DAY_S - ofHours,
  )
}

/** From the first to the last of an ascending set. */
function span(set: number[]): number {
  return set.at(-1)! - set[0]!
}

/** The smallest step of an ascending set; infinite where it has one member. */
function nearest(set: number[]): number {
  return Math.min(...set.slice(1).map((value, i) => value - set[i]!))
}
