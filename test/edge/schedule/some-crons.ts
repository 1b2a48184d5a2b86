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
  )
}

/** Seconds as crons of any interval may have them. */
export const anySeconds = fc.oneof(list(0, 59), range(0, 59))

export const anyMinutes = field(0, 59)
export const anyHours = field(0, 23)

const anyDates = fc.oneof(
  { weight: 3, arbitrary: field(1, 28) },
  { arbitrary: fc.constant('L'), weight: 1 },
)
const anyWeekdays = fc.oneof(field(0, 6), fc.constantFrom('7', 'MON-FRI', 'sun', '5#2', 'TUE,THU'))

/** Crons of six fields, some with names. */
export const anyCron = fc
  .tuple(
    anySeconds,
    anyMinutes,
    anyHours,
    anyDates,
    fc.oneof(field(1, 12), fc.constant('JAN,JUL')),
    anyWeekdays,
  )
  .map((fields) => fields.join(' '))
