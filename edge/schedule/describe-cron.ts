import { type DayValues, dayValues, timesOfDay } from './cron-values.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const LISTED_MAX = 4

/** Values of a cron field. `every` is a step: every n-th value, starting at 0. */
type Part = 'all' | { every: number } | { values: number[] }

/**
 * Describes a cron expression in words, such as `every day at 09:00`. Returns undefined if there is no short
 * description; callers then show the expression itself.
 */
export function describeCron(cron: string): string | undefined {
  const { seconds, minutes, hours } = timesOfDay(cron)
  const times = timesInWords(part(seconds, 60), part(minutes, 60), part(hours, 24))
  const days = daysInWords(dayValues(cron))
  if (times === undefined || days === undefined) return undefined
  if (times.startsWith('at ')) return `${days === '' ? 'every day' : days} ${times}`
  return [times, days].filter((text) => text !== '').join(', ')
}

function timesInWords(second: Part, minute: Part, hour: Part): string | undefined {
  const seconds = secondsInWords(second)
  if (seconds === undefined) return undefined
  if (seconds !== '') return minute === 'all' && hour === 'all' ? seconds : undefined
  const hours = hour === 'all' ? '' : hoursInWords(hour)
  if (minute === 'all') return join('every minute', hours)
  if ('every' in minute) return join(`every ${minute.every} minutes`, hours)
  if (minute.values.length > LISTED_MAX) return undefined
  if (hour !== 'all' && 'values' in hour) return clock(hour.values, minute.values)
  const at = `at ${list(minute.values.map((value) => `:${pair(value)}`))}`
  return hour === 'all' ? `every hour ${at}` : `every ${hour.every} hours ${at}`
}

const join = (times: string, hours: string | undefined) =>
  hours === undefined ? undefined : `${times}${hours}`

/**
 * Returns an empty text if the cron expression fires only at second 0, and undefined if there is no short description.
 */
function secondsInWords(second: Part): string | undefined {
  if (second === 'all') return 'every second'
  if ('every' in second) return `every ${second.every} seconds`
  if (second.values.length === 1) return second.values[0] === 0 ? '' : undefined
  return `every minute at ${list(second.values.map((value) => `${value} s`))}`
}

function hoursInWords(hour: Exclude<Part, 'all'>): string | undefined {
  if ('every' in hour) return undefined
  const [first, last] = [hour.values[0]!, hour.values.at(-1)!]
  const isRange = last - first === hour.values.length - 1
  return isRange ? ` from ${pair(first)}:00 to ${pair(last)}:59` : undefined
}

function clock(hours: number[], minutes: number[]): string | undefined {
  if (hours.length * minutes.length > LISTED_MAX) return undefined
  const times = hours.flatMap((hour) => minutes.map((minute) => `${pair(hour)}:${pair(minute)}`))
  return `at ${list(times)}`
}

function daysInWords({ dates, months, weekdays, matchesBoth }: DayValues): string | undefined {
  if (!dates || !weekdays) return undefined
  const [anyDate, anyWeekday] = [dates.length === 31, weekdays.length === 7]
  // If a day has to match only one of the date and weekday fields, a field with all values matches every day.
  const isEveryDay = matchesBoth ? anyDate && anyWeekday : anyDate || anyWeekday
  const parts: string[] = []
  if (!isEveryDay && !anyDate) {
    if (dates.length > LISTED_MAX) return undefined
    parts.push(`on the ${list(dates.map(ordinal))}`)
  }
  if (!isEveryDay && !anyWeekday) parts.push(weekdaysInWords(weekdays))
  if (parts.length === 2) {
    if (matchesBoth) return undefined
    parts.splice(0, 2, parts.join(' and '))
  }
  if (months.length < 12) {
    const of = parts[0]?.startsWith('on the ') && anyWeekday ? 'of' : 'in'
    parts.push(`${of} ${list(months.map((value) => MONTHS[value - 1]!))}`)
  }
  return parts.join(' ')
}

function weekdaysInWords(days: number[]): string {
  if (days.join() === '1,2,3,4,5') return 'Monday to Friday'
  return `on ${list(days.map((value) => `${DAYS[value]}s`))}`
}

/** A step that does not divide the size of the field becomes a list. */
function part(values: number[], size: number): Part {
  if (values.length === size) return 'all'
  const step = size / values.length
  const isEven = values.length > 1 && values.every((value, at) => value === at * step)
  return isEven ? { every: step } : { values }
}

const pair = (value: number) => String(value).padStart(2, '0')

function ordinal(value: number): string {
  const isTeen = value > 10 && value < 14
  return `${value}${(isTeen ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[value % 10]) ?? 'th'}`
}

function list(items: string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
