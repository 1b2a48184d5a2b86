import { daysOfCycle } from './days-of-cycle.ts'
import { cronOf, fieldsOf, patternOf } from './dialect.ts'

/** The maximum length of a cron. The parser takes milliseconds for longer texts. */
export const CRON_MAX_CHARACTERS = 256

/** The characters allowed in a field. Nicknames (`@daily`) and dates (`2026-12-01T00:00`) contain others. */
const FIELD = /^[\dA-Za-z*?,/#+-]+$/

/** Returns why a text is not a cron that fires; `undefined` if it is one. */
export function wrongInCron(cron: string): string | undefined {
  if (cron.length > CRON_MAX_CHARACTERS)
    return `${cron.length} characters, and at most ${CRON_MAX_CHARACTERS} are allowed`
  const fields = fieldsOf(cron)
  const odd = fields.find((field) => !FIELD.test(field))
  if (odd !== undefined)
    return `${JSON.stringify(odd)} is not a field of a cron; nicknames and dates are not supported`
  if (fields.length !== 5 && fields.length !== 6)
    return `a cron has 5 fields, or 6 with seconds first, and this one has ${fields.length}`
  try {
    patternOf(cron)
  } catch (error) {
    return reworded(error instanceof Error ? error.message : String(error))
  }
  if (daysOfCycle(cron).next().done) return 'it names a time that never comes'
}

/**
 * Returns the first tick after `after`.
 * @param after Unix milliseconds, not included
 * @returns Unix milliseconds of a whole second; `undefined` if there are no more ticks
 * @throws {TypeError | RangeError} for a text that is not a cron
 */
export function nextTick(cron: string, after: number): number | undefined {
  return cronOf(cron).nextRun(new Date(after))?.getTime()
}

/** Returns up to `count` ticks after `after`, ascending. */
export function nextTicks(cron: string, after: number, count: number): number[] {
  const found = cronOf(cron).nextRuns(count, new Date(after))
  return found.map((at) => at.getTime())
}

/** Returns the last ticks before `before`, at most `count`, ascending. */
export function lastTicks(cron: string, before: number, count: number): number[] {
  // Croner includes a tick in the same second as the reference.
  const wholeSecond = Math.ceil(before / 1000) * 1000
  const found = cronOf(cron).previousRuns(count, new Date(wholeSecond))
  return found.map((at) => at.getTime()).toReversed()
}

/** Rewords croner's messages, which give days and months as array indexes. */
function reworded(reason: string): string {
  return reason
    .replace(/^CronPattern: /, '')
    .replace(/^Invalid value for (\w+): .*$/, 'a value of its field $1 is out of range')
    .replace(/\.$/, '')
}
