/** A cron as a person would say it, where it is one that people write; all of its times are UTC. */

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

/** Names of three letters, as crons have them, and the number of each. */
const numbers = (long: string[], first: number) =>
  new Map(long.map((name, at) => [name.slice(0, 3).toUpperCase(), String(at + first)]))
const DAY_NUMBERS = numbers(DAYS, 0)
const MONTH_NUMBERS = numbers(MONTHS, 1)

/** More times of a day than this are no sentence. */
const TIMES_MAX = 4

/** A field: all of its values, every so many of them, or these. */
type Part = 'all' | { every: number } | { values: number[] }

/**
 * @param cron that was checked
 * @returns such as `every day at 09:00`; `undefined` for one that has no short name: show the cron itself
 */
export function cronInWords(cron: string): string | undefined {
  const fields = cron.split(/[ \t]+/).filter((field) => field !== '')
  const [second, minute, hour, day, month, weekday] =
    fields.length === 5 ? ['0', ...fields] : fields
  const times = timesInWords(part(second!, 60), part(minute!, 60), part(hour!, 24))
  const days = daysInWords(
    part(day!, 0),
    part(month!, 0, MONTH_NUMBERS),
    part(weekday!, 0, DAY_NUMBERS),
  )
  if (times === undefined || days === undefined) return undefined
  if (times.startsWith('at ')) return `${days === '' ? 'every day' : days} ${times}`
  return [times, days].filter((text) => text !== '').join(', ')
}

function timesInWords(second?: Part, minute?: Part, hour?: Part): string | undefined {
  if (!second || !minute || !hour) return undefined
  const seconds = secondsInWords(second)
  if (seconds === undefined) return undefined
  if (seconds !== '') return minute === 'all' && hour === 'all' ? seconds : undefined
  const hours = hour === 'all' ? '' : hoursInWords(hour)
  if (minute === 'all') return join('every minute', hours)
  if ('every' in minute) return join(`every ${minute.every} minutes`, hours)
  if (hour !== 'all' && 'values' in hour) return clock(hour.values, minute.values)
  const at = `at ${list(minute.values.map((value) => `:${pair(value)}`))}`
  return hour === 'all' ? `every hour ${at}` : `every ${hour.every} hours ${at}`
}

const join = (times: string, hours: string | undefined) =>
  hours === undefined ? undefined : `${times}${hours}`

/** Within a minute: nothing to say of the second 0 alone. */
function secondsInWords(second: Part): string | undefined {
  if (second === 'all') return 'every second'
  if ('every' in second) return `every ${second.every} seconds`
  if (second.values.length === 1) return second.values[0] === 0 ? '' : undefined
  return `every minute at ${list(second.values.map((value) => `${value} s`))}`
}

/** Of what happens several times in an hour. */
function hoursInWords(hour: Exclude<Part, 'all'>): string | undefined {
  if ('every' in hour) return undefined
  const [first, last] = [hour.values[0]!, hour.values.at(-1)!]
  const isRange = last - first === hour.values.length - 1
  return isRange ? ` from ${pair(first)}:00 to ${pair(last)}:59` : undefined
}

function clock(hours: number[], minutes: number[]): string | undefined {
  if (hours.length * minutes.length > TIMES_MAX) return undefined
  const times = hours.flatMap((hour) => minutes.map((minute) => `${pair(hour)}:${pair(minute)}`))
  return `at ${list(times)}`
}

function daysInWords(day?: Part, month?: Part, weekday?: Part): string | undefined {
  if (!day || !month || !weekday) return undefined
  const parts: string[] = []
  if (day !== 'all') {
    if ('every' in day) return undefined
    parts.push(`on the ${list(day.values.map(ordinal))}`)
  }
  if (weekday !== 'all') {
    if ('every' in weekday) return undefined
    parts.push(weekdays(weekday.values))
  }
  if (month !== 'all') {
    if ('every' in month) return undefined
    const of = day !== 'all' && weekday === 'all' ? 'of' : 'in'
    parts.push(`${of} ${list(month.values.map((value) => MONTHS[value - 1]!))}`)
  }
  // Either of both names a day (`decisions.md`, Cron).
  if (day !== 'all' && weekday !== 'all') parts.splice(0, 2, `${parts[0]} and ${parts[1]}`)
  return parts.join(' ')
}

function weekdays(values: number[]): string {
  const days = [...new Set(values.map((value) => value % 7))].toSorted((a, b) => a - b)
  if (days.join() === '1,2,3,4,5') return 'Monday to Friday'
  return `on ${list(days.map((value) => `${DAYS[value]}s`))}`
}

/**
 * @param size of the field, for a step that comes round evenly; 0 where none does
 * @returns `undefined` for what is said in no short way: `L`, `#`, steps of a range
 */
function part(field: string, size: number, known?: Map<string, string>): Part | undefined {
  const text = field.replace(/[A-Za-z]{3}/g, (name) => known?.get(name.toUpperCase()) ?? name)
  if (text === '*' || text === '?') return 'all'
  const step = /^\*\/(\d+)$/.exec(text)?.[1]
  if (Number(step) === 1) return 'all'
  if (step !== undefined)
    return size % Number(step) === 0 && size > 0 ? { every: Number(step) } : undefined
  const values: number[] = []
  for (const item of text.split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(item) ?? []
    if (from === undefined || Number(to) < Number(from)) return undefined
    for (let value = Number(from); value <= Number(to); value++) values.push(value)
  }
  return { values: [...new Set(values)].toSorted((a, b) => a - b) }
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
