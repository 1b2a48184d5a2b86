/**
 * What a cron names, by a parser and an enumeration of their own: fields are sets, and every day is looked at. Knows
 * lists, ranges, steps, names, `L`, and `5#2`; days by either of two restricted fields, as the dialect has it.
 */
const DAY_MS = 24 * 60 * 60 * 1000
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

type Day = { year: number; month: number; date: number; weekday: number }

/** Every time that a cron names in (from, to], ascending, in Unix milliseconds. */
export function* enumerate(cron: string, from: number, to: number): Generator<number, undefined> {
  const fields = cron.trim().toUpperCase().split(/\s+/)
  if (fields.length === 5) fields.unshift('0')
  const [seconds, minutes, hours, dates, months, weekdays] = fields as [string, ...string[]]
  const times = timesOf(seconds, minutes!, hours!)
  for (let midnight = Math.floor(from / DAY_MS) * DAY_MS; midnight <= to; midnight += DAY_MS) {
    if (!isNamed(midnight, dates!, months!, weekdays!)) continue
    for (const time of times) {
      const at = midnight + time
      if (at > from && at <= to) yield at
    }
  }
  return undefined
}

/** Milliseconds after midnight, ascending. */
export function timesOf(seconds: string, minutes: string, hours: string): number[] {
  const times = []
  for (const hour of setOf(hours, 0, 23))
    for (const minute of setOf(minutes, 0, 59))
      for (const second of setOf(seconds, 0, 59))
        times.push(((hour * 60 + minute) * 60 + second) * 1000)
  return times.toSorted((a, b) => a - b)
}

function isNamed(midnight: number, dates: string, months: string, weekdays: string): boolean {
  const at = new Date(midnight)
  const day: Day = {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    date: at.getUTCDate(),
    weekday: at.getUTCDay(),
  }
  if (!setOf(named(months, MONTHS, 1), 1, 12).has(day.month)) return false
  const byDate = isDate(day, dates)
  const byWeekday = isWeekday(day, named(weekdays, WEEKDAYS, 0))
  if (weekdays === '*') return byDate
  return dates === '*' ? byWeekday : byDate || byWeekday
}

function isDate({ year, month, date }: Day, field: string): boolean {
  return field.split(',').some((item) => {
    if (item === 'L') return date === new Date(Date.UTC(year, month, 0)).getUTCDate()
    return setOf(item, 1, 31).has(date)
  })
}

function isWeekday({ date, weekday }: Day, field: string): boolean {
  return field.split(',').some((item) => {
    const [days, nth] = item.split('#') as [string, string?]
    const on = setOf(days, 0, 7)
    const isOn = on.has(weekday) || (weekday === 0 && on.has(7))
    return isOn && (nth === undefined || Math.ceil(date / 7) === Number(nth))
  })
}

function named(field: string, names: string[], first: number): string {
  return names.reduce((text, name, i) => text.replaceAll(name, String(i + first)), field)
}

function setOf(field: string, least: number, most: number): Set<number> {
  const set = new Set<number>()
  for (const item of field.split(',')) {
    const [range, step = '1'] = item.split('/') as [string, string?]
    const [from, to] =
      range === '*' ? [least, most] : (range.split('-').map(Number) as [number, number?])
    for (let value = from; value <= (to ?? from); value += Number(step)) set.add(value)
  }
  return set
}
