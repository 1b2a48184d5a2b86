import { Cron, CronPattern } from 'croner'

/**
 * Options for croner. Cron expressions are in UTC and have five fields, or six with seconds first
 * (docs/decisions/0069). croner is ten times as fast with an offset of zero as with a named time zone.
 */
const OPTIONS = { mode: '5-or-6-parts', utcOffset: 0, paused: true } as const

/**
 * Largest value of each field, from seconds to weekdays. A step that starts at a number, such as `5/10`, runs up to the
 * largest value of its field.
 */
const LARGEST = [59, 59, 23, 31, 12, 6]

/** @throws {TypeError | RangeError} if the cron is invalid */
export function parseCron(cron: string): Cron {
  return new Cron(withEnds(cron), { ...OPTIONS, domAndDow: hasDayStar(cron) })
}

/** @throws {TypeError | RangeError} if the cron is invalid */
export function parsePattern(cron: string): CronPattern {
  return new CronPattern(withEnds(cron), 'UTC', { mode: OPTIONS.mode })
}

export function fieldsOf(cron: string): string[] {
  return cron.split(/[ \t]+/).filter((field) => field !== '')
}

export function midnightCron(cron: string): string {
  return ['0', '0', '0', ...fieldsOf(cron).slice(-3)].join(' ')
}

/**
 * Returns true if the date or the weekday field starts with `*` or `?`. As in Vixie cron, a day must then match both
 * fields. Otherwise, matching one field is enough.
 */
export function hasDayStar(cron: string): boolean {
  const [dates = '', , weekdays = ''] = fieldsOf(cron).slice(-3)
  return /^[*?]/.test(dates) || /^[*?]/.test(weekdays)
}

/**
 * Rewrites steps that start at a number as ranges, because croner rejects them: `5/10` in the minutes field becomes
 * `5-59/10`.
 */
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
    // Sunday can be written as 0 or 7.
    const end = start === '7' && largest === '6' ? '7' : largest
    return `${start}-${end}`
  })
}
