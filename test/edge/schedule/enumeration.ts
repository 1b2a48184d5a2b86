/**
 * An independent parser and enumeration of cron expressions. It turns fields into sets and tests every day. It supports
 * lists, ranges, steps, names, `L` and `5#2`.
 */
const DAY_MS = 24 * 60 * 60 * 1000
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

type Day = { year: number; month: number; date: number; weekday: number }

/** Yields every tick of a cron expression in (from, to], ascending, in Unix milliseconds. */
export function* enumerate(cron: string, from: number, to: number): Generator<number, undefined> {
  const times = timesOfCron(cron)
  for (const midnight of enumerateDays(cron, from, to))
    for (const time of times) {
      const at = midnight + time
      if (at > from && at <= to) yield at
    }
  return undefined
}

/** Yields the midnight of every matching day from the day of `from`, in Unix milliseconds. */
export function* enumerateDays(cron: string, from: number, to: number): Generator<number> {
  const [, , , dates, months, weekdays] = sixFields(cron)
  const isNamed = dayTest(dates!, months!, weekdays!)
  for (let midnight = Math.floor(from / DAY_MS) * DAY_MS; midnight <= to; midnight += DAY_MS)
    if (isNamed(midnight)) yield midnight
}

/** @returns milliseconds after midnight, ascending */
export function timesOfCron(cron: string): number[] {
  const [seconds, minutes, hours] = sixFields(cron)
  return timesOf(seconds!, minutes!, hours!)
}

function sixFields(cron: string): string[] {
  const fields = cron.trim().toUpperCase().split(/\s+/)
  return fields.length === 5 ? ['0', ...fields] : fields
}

/** @returns milliseconds after midnight, ascending */
export function timesOf(seconds: string, minutes: string, hours: string): number[] {
  const times = []
  for (const hour of setOf(hours, 0, 23))
    for (const minute of setOf(minutes, 0, 59))
      for (const second of setOf(seconds, 0, 59))
        times.push(((hour * 60 + minute) * 60 + second) * 1000)
  return times.toSorted((a, b) => a - b)
}

function dayTest(dates: string, months: string, weekdays: string): (midnight: number) => boolean {
  const inMonths = setOf(named(months, MONTHS, 1), 1, 12)
  const isDate = anyOf(dates, dateTest)
  const isWeekday = anyOf(named(weekdays, WEEKDAYS, 0), weekdayTest)
  const hasStar = dates.startsWith('*') || weekdays.startsWith('*')
  return (midnight) => {
    const at = new Date(midnight)
    const day: Day = {
      year: at.getUTCFullYear(),
      month: at.getUTCMonth() + 1,
      date: at.getUTCDate(),
      weekday: at.getUTCDay(),
    }
    if (!inMonths.has(day.month)) return false
    return hasStar ? isDate(day) && isWeekday(day) : isDate(day) || isWeekday(day)
  }
}

function anyOf(field: string, test: (item: string) => (day: Day) => boolean) {
  const tests = field.split(',').map(test)
  return (day: Day) => tests.some((matches) => matches(day))
}

function dateTest(item: string): (day: Day) => boolean {
  if (item === 'L')
    return ({ year, month, date }) => date === new Date(Date.UTC(year, month, 0)).getUTCDate()
  const set = setOf(item, 1, 31)
  return ({ date }) => set.has(date)
}

function weekdayTest(item: string): (day: Day) => boolean {
  const [days, nth] = item.split('#') as [string, string?]
  // Only an explicit 7 means Sunday: ranges and steps over all days end at Saturday.
  const on = setOf(days, 0, 6)
  return ({ date, weekday }) => {
    const isOn = on.has(weekday) || (weekday === 0 && on.has(7))
    return isOn && (nth === undefined || Math.ceil(date / 7) === Number(nth))
  }
}

function named(field: string, names: string[], first: number): string {
  return names.reduce((text, name, i) => text.replaceAll(name, String(i + first)), field)
}

function setOf(field: string, least: number, most: number): Set<number> {
  const set = new Set<number>()
  for (const item of field.split(',')) {
    const [range, step] = item.split('/') as [string, string?]
    const [from, end] =
      range === '*' ? [least, most] : (range.split('-').map(Number) as [number, number?])
    const to = end ?? (step === undefined ? from : Math.max(from, most))
    for (let value = from; value <= to; value += Number(step ?? 1)) set.add(value)
  }
  return set
}
