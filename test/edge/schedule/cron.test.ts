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
    '0 0 LW * *',
    '0/5 * * * *',
    '5/30 0/12 1/10 JAN/3 MON/2',
  ])('accepts %j', (cron) => {
    expect(checkSchedule({ cron })).toBeUndefined()
  })

  it('accepts spaces and tabs around and between the fields', () => {
    expect(refusal('  */5 \t *  * * * ')).toBeUndefined()
  })

  it.each([
    ['', /found 0$/],
    ['soon', /found 1$/],
    ['* * * *', /found 4$/],
    ['* * * * * * *', /found 7$/],
    ['99 * * * *', /minute is out of range/],
    ['0 24 * * *', /hour is out of range/],
    ['0 0 0 * *', /day is out of range/],
    ['0 0 * 13 *', /month is out of range/],
    ['0 0 * * 8', /dayOfWeek is out of range/],
    ['60/5 * * * *', /60-59/],
    ['/5 * * * *', /stepping/],
    ['0 25/2 * * *', /25-23/],
    ['0 0 * * 8/2', /8-6/],
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
    ['*/5 * * * *\n', /not a valid cron field/],
    ['*/5\u00a0* * * *', /not a valid cron field/],
  ])('rejects %j', (cron, problem) => {
    expect(refusal(cron)).toMatch(problem)
  })

  it.each(['0 0 30 2 *', '0 0 31 4 *', '0 0 31 2,4,6,9,11 *', '0 0 0 30 2 *'])(
    'rejects %j, a time that never occurs',
    (cron) => {
      expect(refusal(cron)).toBe('the expression never fires')
    },
  )

  it('rejects an expression of over 256 characters, even if valid', () => {
    const long = (length: number) => `${'1,'.repeat((length - 10) / 2)}30 * * * *`
    expect(refusal(long(256))).toBeUndefined()
    expect(refusal(long(258))).toBe('258 characters; the limit is 256')
  })

  it.each([[undefined], [null], [5], [['* * * * *']], [{}]])('rejects the value %j', (cron) => {
    expect(checkSchedule({ cron })?.field).toBe('config.cron')
  })

  it('names an unknown key', () => {
    expect(checkSchedule({ cron: '* * * * *', time_zone: 'UTC' })).toMatchObject({
      field: 'config.time_zone',
    })
  })
})

const AUGUST = Date.UTC(2026, 7, 1)
/** Days of August 2026, which starts on a Saturday, on which a cron expression fires. */
const days = (cron: string) =>
  nextTicks(cron, AUGUST - 1, 31)
    .filter((tick) => tick < Date.UTC(2026, 8, 1))
    .map((tick) => new Date(tick).getUTCDate())

describe('the two day fields', () => {
  it.each([
    ['0 0 */2 * 1', [3, 17, 31]],
    ['0 0 */10 * */2', [1, 11]],
    ['0 0 10-20 * */3', [12, 15, 16, 19]],
    ['0 0 *,5 * 1', [3, 10, 17, 24, 31]],
    ['0 0 ?/2 * 1', [3, 17, 31]],
    ['0 0 */2 * 1#1', [3]],
    ['0 0 L * */2', []],
    ['0 0 15W * */5', [14]],
    ['0 0 13 * +5', []],
  ])('must both match in %s, because one starts with a star', (cron, expected) => {
    expect(days(cron)).toEqual(expected)
  })

  it.each([
    ['0 0 13 * 5', [7, 13, 14, 21, 28]],
    ['0 0 1/10 * 1', [1, 3, 10, 11, 17, 21, 24, 31]],
    ['0 0 1-31/10 * 1', [1, 3, 10, 11, 17, 21, 24, 31]],
    ['0 0 L * 1', [3, 10, 17, 24, 31]],
    ['0 0 15W * 1#1', [3, 14]],
  ])('match in %s if either does, because neither starts with a star', (cron, expected) => {
    expect(days(cron)).toEqual(expected)
  })
})

describe('a step from a number', () => {
  it.each([
    ['0/5 * * * *', '0-59/5 * * * *'],
    ['7/20 * * * * *', '7-59/20 * * * * *'],
    ['0 4/6 * * *', '0 4-23/6 * * *'],
    ['0 0 2/7 * *', '0 0 2-31/7 * *'],
    ['0 0 1 2/5 *', '0 0 1 2-12/5 *'],
    ['0 0 * * 1/2', '0 0 * * 1-6/2'],
    ['0 0 * * MON/2', '0 0 * * 1-6/2'],
    ['0 0 * * 7/2', '0 0 * * 0'],
    ['1,30/10 * * * *', '1,30,40,50 * * * *'],
  ])('in %s ends at the maximum of the field, as in %s', (cron, same) => {
    expect(nextTicks(cron, AT, 20)).toEqual(nextTicks(same, AT, 20))
  })
})

describe('the ticks of a cron expression', () => {
  it('exclude the given start time', () => {
    expect(iso(nextTick('*/5 * * * *', AT))).toBe('2026-05-22T13:10:00.000Z')
    expect(iso(nextTick('*/5 * * * *', AT - 1))).toBe('2026-05-22T13:05:00.000Z')
    expect(nextTicks('*/5 * * * *', AT, 2).map(iso)).toEqual([
      '2026-05-22T13:10:00.000Z',
      '2026-05-22T13:15:00.000Z',
    ])
  })

  it('before a given time are exact to the millisecond', () => {
    for (const [before, last] of [
      [AT - 1, '13:00'],
      [AT, '13:00'],
      [AT + 1, '13:05'],
      [AT + 999, '13:05'],
      [AT + 1000, '13:05'],
    ] as const)
      expect(iso(lastTicks('*/5 * * * *', before, 1)[0])).toBe(`2026-05-22T${last}:00.000Z`)
  })

  it('match an independent enumeration forwards, backwards and counted', () => {
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
