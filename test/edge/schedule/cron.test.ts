import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSchedule } from '../../../edge/schedule/check-schedule.ts'
import { countTicks } from '../../../edge/schedule/count-ticks.ts'
import { lastTicks, nextTick, nextTicks } from '../../../edge/schedule/cron.ts'
import { enumerate } from './enumeration.ts'
import { anyCron } from './some-crons.ts'

const refusal = (cron: unknown) => checkSchedule({ cron })?.problem
const AT = Date.UTC(2026, 4, 22, 13, 5)
const iso = (at: number | undefined) => at && new Date(at).toISOString()

describe('the config of a schedule', () => {
  it.each([
    '0 3 1 1 *',
    '* * * * *',
    '0 0 3 1 1 *',
    '*/30 * * * * *',
    '5 4 * * sun',
    '0 0 * JAN-MAR mon-fri',
    '0 0 L * *',
    '0 0 * * 5#2',
    '0 0 ? * mon',
    '0 0 29 2 *',
    '0 0 * * 7',
    '0 0 15W * *',
  ])('takes %j', (cron) => {
    expect(checkSchedule({ cron })).toBeUndefined()
  })

  it('takes spaces and tabs around and between the fields', () => {
    expect(refusal('  */5 \t *  * * * ')).toBeUndefined()
  })

  it.each([
    ['', /this one has 0$/],
    ['soon', /this one has 1$/],
    ['* * * *', /this one has 4$/],
    ['* * * * * * *', /this one has 7$/],
    ['99 * * * *', /minute is out of range/],
    ['0 24 * * *', /hour is out of range/],
    ['0 0 0 * *', /day is out of range/],
    ['0 0 * 13 *', /month is out of range/],
    ['0 0 * * 8', /dayOfWeek is out of range/],
    ['5/5 * * * *', /5\/5/],
    ['*/0 * * * *', /stepping/],
    ['*/100 * * * *', /step/],
    ['30-10 * * * *', /30-10/],
    ['H * * * *', /H/],
    ['0 0 1 1 *,', /empty/],
    ['@daily', /nicknames/],
    ['@reboot', /nicknames/],
    ['2026-12-01T00:00:00', /dates/],
    ['2026-12-01T00:00:00Z', /dates/],
    ['2026-12-01 00:00', /dates/],
    ['TZ=UTC * * * * *', /TZ=UTC/],
    ['CRON_TZ=UTC * * * * *', /CRON_TZ=UTC/],
    ['*/5 * * * *\n', /no field/],
    ['*/5\u00a0* * * *', /no field/],
  ])('refuses %j', (cron, problem) => {
    expect(refusal(cron)).toMatch(problem)
  })

  it.each(['0 0 30 2 *', '0 0 31 4 *', '0 0 31 2,4,6,9,11 *', '0 0 0 30 2 *'])(
    'refuses %j, a time that never comes',
    (cron) => {
      expect(refusal(cron)).toBe('it names a time that never comes')
    },
  )

  it('refuses a text of over 256 characters, however good', () => {
    const long = (length: number) => `${'1,'.repeat((length - 10) / 2)}30 * * * *`
    expect(refusal(long(256))).toBeUndefined()
    expect(refusal(long(258))).toBe('258 characters, and at most 256 are taken')
  })

  it.each([[undefined], [null], [5], [['* * * * *']], [{}]])('refuses %j', (cron) => {
    expect(checkSchedule({ cron })?.field).toBe('config.cron')
  })

  it('names a key that it does not know', () => {
    expect(checkSchedule({ cron: '* * * * *', time_zone: 'UTC' })).toMatchObject({
      field: 'config.time_zone',
    })
  })
})

describe('the times of a cron', () => {
  it('never include the time after which they are asked for', () => {
    expect(iso(nextTick('*/5 * * * *', AT))).toBe('2026-05-22T13:10:00.000Z')
    expect(iso(nextTick('*/5 * * * *', AT - 1))).toBe('2026-05-22T13:05:00.000Z')
    expect(nextTicks('*/5 * * * *', AT, 2).map(iso)).toEqual([
      '2026-05-22T13:10:00.000Z',
      '2026-05-22T13:15:00.000Z',
    ])
  })

  it('backwards, are those before a time, to the millisecond', () => {
    for (const [before, last] of [
      [AT - 1, '13:00'],
      [AT, '13:00'],
      [AT + 1, '13:05'],
      [AT + 999, '13:05'],
      [AT + 1000, '13:05'],
    ] as const)
      expect(iso(lastTicks('*/5 * * * *', before, 1)[0])).toBe(`2026-05-22T${last}:00.000Z`)
  })

  it('are those of an independent enumeration, forwards, backwards and counted', () => {
    fc.assert(
      fc.property(
        anyCron,
        fc.integer({ min: 0, max: 2 ** 31 }),
        fc.integer({ min: 1, max: 40 * 86_400_000 }),
        (cron, startS, length) => {
          const from = startS * 1000
          const to = from + length
          const named = [...enumerate(cron, from, to)]
          const last = named.at(-1)
          expect(countTicks(cron, from + 1, to)).toBe(named.length)
          expect(nextTicks(cron, from, 3).filter((tick) => tick <= to)).toEqual(named.slice(0, 3))
          if (last !== undefined) expect(lastTicks(cron, to + 1, 3).slice(-1)).toEqual([last])
        },
      ),
      { numRuns: 60 },
    )
  })
})
