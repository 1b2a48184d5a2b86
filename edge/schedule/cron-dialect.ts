import { Cron, CronPattern } from 'croner'

/**
 * Five fields, or six with seconds first (docs/decisions/0069), in UTC. croner is ten times as fast with an offset of
 * zero as with a named time zone.
 */
const OPTIONS = { mode: '5-or-6-parts', utcOffset: 0, paused: true } as const

/** Largest values, from seconds to weekdays. A step that starts at a number, such as `5/10`, runs up to them. */
const LARGEST = [59, 59, 23, 31, 12, 6]

/** @throws {TypeError | RangeError} if the cron is invalid */
export function parseCron(cron: string): Cron {
  return new Cron(withEnds(cron), { ...OPTIONS, domAndDow: hasDayStar(cron) })
}

/** @throws {TypeError | RangeError} if the cron is invalid */
export function parsePattern(cron: string): CronPattern {
  return new CronPattern(withEnds(cron), 'UTC', { mode: OPTIONS.mode })
}

/** Splits at spaces and tabs. */
export function fieldsOf(cron: string): string[] {
  return cron.split(/[ \t]+/).filter((field) => field !== '')
}

/** Cron that fires at midnight on each day on which the given cron fires. */
export function midnightCron(cron: string): string {
  return ['0', '0', '0', ...fieldsOf(cron).slice(-3)].join(' ')
}

/**
 * True if the date or the weekday field starts with `*` or `?`. As in Vixie cron, a day then has to match both fields.
 * Otherwise, matching one field is enough.
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
