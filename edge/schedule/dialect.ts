import { Cron, CronPattern } from 'croner'

/**
 * Five fields, or six with seconds first (docs/decisions/0069). Croner handles an offset of zero ten times as fast as a
 * named time zone.
 */
const OPTIONS = { mode: '5-or-6-parts', utcOffset: 0, paused: true } as const

/** The largest value of each field, from seconds to weekdays. A step from a number runs up to it. */
const LARGEST = [59, 59, 23, 31, 12, 6]

/** @throws {TypeError | RangeError} for a text that is not a cron */
export function cronOf(cron: string): Cron {
  return new Cron(withEnds(cron), { ...OPTIONS, domAndDow: hasDayStar(cron) })
}

/** @throws {TypeError | RangeError} for a text that is not a cron */
export function patternOf(cron: string): CronPattern {
  return new CronPattern(withEnds(cron), 'UTC', { mode: OPTIONS.mode })
}

/** Splits at spaces and tabs. Leading and trailing ones are ignored. */
export function fieldsOf(cron: string): string[] {
  return cron.split(/[ \t]+/).filter((field) => field !== '')
}

/** Returns the cron that fires at midnight on each day of another cron. */
export function atMidnight(cron: string): string {
  return ['0', '0', '0', ...fieldsOf(cron).slice(-3)].join(' ')
}

/**
 * Returns true if the date or the weekday field starts with `*`, with or without a step. As in Vixie cron, a day then
 * has to match both fields; otherwise one is enough.
 */
export function hasDayStar(cron: string): boolean {
  const [dates = '', , weekdays = ''] = fieldsOf(cron).slice(-3)
  return /^[*?]/.test(dates) || /^[*?]/.test(weekdays)
}

/** Rewrites steps from a number as ranges, which croner understands: `5/10` of minutes becomes `5-59/10`. */
function withEnds(cron: string): string {
  const fields = fieldsOf(cron)
  const largest = LARGEST.slice(-fields.length)
  return fields
    .map((field, at) => {
      const items = field.split(',')
      return items.map((item) => withEnd(item, String(largest[at]))).join(',')
    })
    .join(' ')
}

function withEnd(item: string, largest: string): string {
  return item.replace(/^(\d+|[A-Za-z]{3})(?=\/)/, (start) => {
    // Sunday is 7 as well as 0.
    const end = start === '7' && largest === '6' ? '7' : largest
    return `${start}-${end}`
  })
}
