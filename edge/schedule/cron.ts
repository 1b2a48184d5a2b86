import { Cron, CronPattern } from 'croner'

/**
 * The dialect (`decisions.md`, Cron): five fields, or six with seconds in front. An offset of no minutes is UTC, and
 * costs a tenth of a named zone's look-up.
 */
const OPTIONS = { mode: '5-or-6-parts', utcOffset: 0, paused: true } as const

/** Characters of a cron: longer ones cost the parser milliseconds, and nobody writes them. */
export const CRON_MAX_CHARACTERS = 256

/** What a field may be made of. Nicknames (`@daily`) and dates (`2026-12-01T00:00`) have other characters. */
const FIELD = /^[\dA-Za-z*?,/#+-]+$/

/** Any one moment: the calendar repeats itself every 400 years, and the search goes that far. */
const SOME_TIME = 0

/** What is wrong with a cron, as the end of a sentence about it; `undefined` for one that names times. */
export function wrongInCron(cron: string): string | undefined {
  if (cron.length > CRON_MAX_CHARACTERS)
    return `${cron.length} characters, and at most ${CRON_MAX_CHARACTERS} are taken`
  const fields = fieldsOf(cron)
  const odd = fields.find((field) => !FIELD.test(field))
  if (odd !== undefined)
    return `${JSON.stringify(odd)} is no field of a cron; nicknames and dates are not taken either`
  if (fields.length !== 5 && fields.length !== 6)
    return `a cron has 5 fields, or 6 with seconds in front, and this one has ${fields.length}`
  try {
    if (nextTick(cron, SOME_TIME) === undefined) return 'it names a time that never comes'
  } catch (error) {
    return told(error instanceof Error ? error.message : String(error))
  }
}

/**
 * The first time after `after` that a cron names.
 * @param after Unix milliseconds, not included
 * @returns Unix milliseconds of a whole second; `undefined` where the cron names no time any more
 * @throws {TypeError | RangeError} for a text that is no cron
 */
export function nextTick(cron: string, after: number): number | undefined {
  return new Cron(cron, OPTIONS).nextRun(new Date(after))?.getTime()
}

/** The first times after `after`, at most `count`, in order. */
export function nextTicks(cron: string, after: number, count: number): number[] {
  return new Cron(cron, OPTIONS).nextRuns(count, new Date(after)).map((at) => at.getTime())
}

/** The last times before `before`, at most `count`, in order. */
export function lastTicks(cron: string, before: number, count: number): number[] {
  // The second that a time lies in is looked at whole by the parser's own search.
  const wholeSecond = Math.ceil(before / 1000) * 1000
  const found = new Cron(cron, OPTIONS).previousRuns(count, new Date(wholeSecond))
  return found.map((at) => at.getTime()).toReversed()
}

/** Times of the day that a cron names, field by field, each ascending. */
export type TimesOfDay = { seconds: number[]; minutes: number[]; hours: number[] }

/** @throws {TypeError | RangeError} for a text that is no cron */
export function timesOfDay(cron: string): TimesOfDay {
  const { second, minute, hour } = new CronPattern(cron, 'UTC', { mode: OPTIONS.mode })
  const named = (set: number[]) => set.flatMap((isNamed, value) => (isNamed ? [value] : []))
  return { seconds: named(second), minutes: named(minute), hours: named(hour) }
}

/** The cron of midnight on every day that a cron names. */
export function daysOf(cron: string): string {
  return ['0', '0', '0', ...fieldsOf(cron).slice(-3)].join(' ')
}

/** The parser's reason as its owner would say it: of days and months it tells the place in its own arrays. */
function told(reason: string): string {
  return reason
    .replace(/^CronPattern: /, '')
    .replace(/^Invalid value for (\w+): .*$/, 'a value of its field $1 is out of range')
    .replace(/\.$/, '')
}

/** Fields stand apart by spaces or tabs, any number of them; those around the whole mean nothing. */
function fieldsOf(cron: string): string[] {
  return cron.split(/[ \t]+/).filter((field) => field !== '')
}
