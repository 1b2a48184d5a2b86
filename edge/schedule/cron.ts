import { daysOfCycle } from './days-of-cycle.ts'
import { parseCron, fieldsOf, parsePattern } from './cron-dialect.ts'

/** Parsing a longer expression would take milliseconds. */
const CRON_MAX_CHARACTERS = 256

/** Nicknames (`@daily`) and dates (`2026-12-01T00:00`) contain other characters and are rejected. */
const FIELD = /^[\dA-Za-z*?,/#+-]+$/

export function cronProblem(cron: string): string | undefined {
  if (cron.length > CRON_MAX_CHARACTERS)
    return `${cron.length} characters; the limit is ${CRON_MAX_CHARACTERS}`
  const fields = fieldsOf(cron)
  const odd = fields.find((field) => !FIELD.test(field))
  if (odd !== undefined)
    return `${JSON.stringify(odd)} is not a valid cron field; nicknames and dates are not supported`
  if (fields.length !== 5 && fields.length !== 6)
    return `expected 5 fields, or 6 with seconds first; found ${fields.length}`
  try {
    parsePattern(cron)
  } catch (error) {
    return rewordError(error instanceof Error ? error.message : String(error))
  }
  if (daysOfCycle(cron).next().done) return 'the expression never fires'
}

/**
 * @param after Unix milliseconds, exclusive
 * @returns Unix milliseconds of a whole second, or undefined if there are no more ticks
 * @throws {TypeError | RangeError} if the cron is invalid
 */
export function nextTick(cron: string, after: number): number | undefined {
  return parseCron(cron).nextRun(new Date(after))?.getTime()
}

export function nextTicks(cron: string, after: number, count: number): number[] {
  const found = parseCron(cron).nextRuns(count, new Date(after))
  return found.map((at) => at.getTime())
}

export function lastTicks(cron: string, before: number, count: number): number[] {
  // Rounds up to whole seconds, so that a tick in the same second as `before` counts as earlier.
  const wholeSecond = Math.ceil(before / 1000) * 1000
  const found = parseCron(cron).previousRuns(count, new Date(wholeSecond))
  return found.map((at) => at.getTime()).toReversed()
}

/** Rewords an error message of croner, which states days and months as array indexes. */
function rewordError(reason: string): string {
  return reason
    .replace(/^CronPattern: /, '')
    .replace(/^Invalid value for (\w+): .*$/, 'a value of the field $1 is out of range')
    .replace(/\.$/, '')
}
