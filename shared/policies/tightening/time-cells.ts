import { compileTimes, minuteOf, type TimeWindow } from '../times.ts'
import { type Choice, only } from './choice.ts'

/** Start of a period of the week in which no window begins or ends. Unix time in milliseconds. */
export type TimeCell = number

/** Any Sunday at midnight. */
const WEEK = Date.UTC(2023, 0, 1)
const DAYS = [0, 1, 2, 3, 4, 5, 6]

export function timeCells(windows: readonly TimeWindow[]): TimeCell[] {
  const minutes = windows.flatMap(({ from = '00:00', to = '24:00' }) => [
    minuteOf(from),
    minuteOf(to),
  ])
  const starts = [...new Set([0, ...minutes])].filter((minute) => minute < 24 * 60)
  return DAYS.flatMap((day) => starts.map((minute) => WEEK + (day * 24 * 60 + minute) * 60_000))
}

/** Returns the cells in which one of the windows applies. */
export function timesChoice(windows: readonly TimeWindow[], cells: readonly TimeCell[]): Choice {
  const isInTime = compileTimes(windows, 'times')
  return only(cells.filter(isInTime))
}
