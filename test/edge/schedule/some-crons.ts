import * as fc from 'fast-check'

const list = (least: number, most: number) =>
  fc
    .uniqueArray(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 4 })
    .map((values) => values.join(','))

const range = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
    .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)

const field = (least: number, most: number) => {
  const steps = fc.integer({ min: 1, max: most - least })
  return fc.oneof(
    fc.constant('*'),
    list(least, most),
    range(least, most),
    steps.map((step) => `*/${step}`),
    fc.tuple(range(least, most), steps).map(([from, step]) => `${from}/${step}`),
    fc.tuple(fc.integer({ min: least, max: most }), steps).map(([from, step]) => `${from}/${step}`),
  )
}

/** Seconds fields for cron expressions of any interval, even below the minimum. */
export const anySeconds = fc.oneof(list(0, 59), range(0, 59))

export const anyMinutes = field(0, 59)
export const anyHours = field(0, 23)

const anyDates = fc.oneof(
  { weight: 3, arbitrary: field(1, 28) },
  { arbitrary: fc.constant('L'), weight: 1 },
)
const anyWeekdays = fc.oneof(field(0, 6), fc.constantFrom('7', 'MON-FRI', 'sun', '5#2', 'TUE,THU'))

const anyMonths = fc.oneof(field(1, 12), fc.constant('JAN,JUL'))

const among = (...values: (number | string)[]) =>
  fc.subarray(values, { minLength: 1, maxLength: 3 }).map((some) => some.join(','))

/** Cron expressions with closest ticks that often span a minute, an hour, midnight, or the end of a month or year. */
export const cronAroundMidnight = fc
  .tuple(
    among(0, 1, 10, 29, 30, 40, 50, 59),
    among(0, 1, 30, 58, 59),
    among(0, 1, 12, 22, 23),
    fc.oneof(among(1, 2, 15, 28, 29, 30, 31, 'L'), field(1, 31)),
    fc.oneof(among(1, 2, 3, 11, 12), anyMonths),
    fc.oneof(among(0, 1, 4, 6, '5#1', '7#5'), anyWeekdays),
  )
  .map((fields) => fields.join(' '))

/** Cron expressions of six fields, some with names. */
export const anyCron = fc
  .tuple(anySeconds, anyMinutes, anyHours, anyDates, anyMonths, anyWeekdays)
  .map((fields) => fields.join(' '))

/** Cron expressions with ticks around the hours at which clocks are changed. */
export const cronAroundChanges = fc
  .tuple(
    among(0, 10, 15, 29, 30, 45, 50),
    fc.oneof(anyMinutes, among(0, 1, 15, 29, 30, 58, 59)),
    fc.oneof(fc.constant('*'), among(0, 1, 2, 3, 4, 22, 23), anyHours),
    fc.oneof(fc.constant('*'), field(1, 31)),
    fc.constant('*'),
    fc.constantFrom('*', '0', '6,0', '5-7'),
  )
  .map((fields) => fields.join(' '))
