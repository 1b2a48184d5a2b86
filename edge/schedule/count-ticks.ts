import { DAY_MS } from '../../shared/durations.ts'
import { nextTick } from './cron.ts'
import { midnightCron } from './cron-dialect.ts'
import { timesOfDay } from './cron-values.ts'

/**
 * Counts the ticks between two times, both inclusive. Whole days are counted without enumerating their ticks, because
 * stepping through every tick of a year would take seconds.
 * @param from Unix milliseconds
 * @param to Unix milliseconds
 */
export function countTicks(cron: string, from: number, to: number): number {
  if (to < from) return 0
  const { seconds, minutes, hours } = timesOfDay(cron)
  const perDay = seconds.length * minutes.length * hours.length
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => ((hour * 60 + minute) * 60 + second) * 1000),
    ),
  )
  const days = midnightCron(cron)
  let count = 0
  let day = nextTick(days, startOfDay(from) - 1)
  while (day !== undefined && day <= to) {
    const midnight = day
    const isWhole = from <= midnight && midnight + DAY_MS <= to
    const named = (time: number) => from <= midnight + time && midnight + time <= to
    count += isWhole ? perDay : times.filter(named).length
    day = nextTick(days, midnight)
  }
  return count
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}
