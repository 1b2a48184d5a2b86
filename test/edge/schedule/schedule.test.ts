import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSchedule } from '../../../edge/schedule/check-schedule.ts'
import { reasonWithoutTicks, scheduleOf } from '../../../edge/schedule/schedule.ts'
import type { ScheduleConfig } from '../../../edge/schedule/schedule-config.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.UTC(2026, 4, 22, 12)
const HOURLY = '0 * * * *'
const iso = (at: number) => new Date(at).toISOString()

describe('the config of a schedule', () => {
  it.each([
    [{ cron: HOURLY, timezone: 'Europe/Berlin' }],
    [{ cron: HOURLY, timezone: 'asia/calcutta', jitter_s: 3_599 }],
    [{ cron: HOURLY, starts_at: '2026-05-22T13:05:00.123+02:00', ends_at: '2026-05-22T13:05:00Z' }],
    [{ cron: HOURLY, jitter_s: 0 }],
    [{ at: '2026-05-22T13:05:00-04:00' }],
    // An ended schedule can still be stored, for example by a PATCH that repeats its config.
    [{ cron: HOURLY, ends_at: '2020-01-01T00:00:00Z' }],
  ])('accepts %j', (config) => expect(checkSchedule(config)).toBeUndefined())

  it.each([
    [{ cron: HOURLY, timezone: 'Europe/Moskow' }, 'config.timezone', /is not a time zone/],
    [{ cron: HOURLY, timezone: '+02:00' }, 'config.timezone', /is not a time zone/],
    [{ cron: HOURLY, timezone: null }, 'config.timezone', /expected a string/],
    [{ cron: HOURLY, starts_at: '2026-05-22T13:05:00' }, 'config.starts_at', /RFC 3339/],
    [{ cron: HOURLY, starts_at: '2026-02-30T00:00:00Z' }, 'config.starts_at', /RFC 3339/],
    [{ cron: HOURLY, ends_at: 1_779_455_100 }, 'config.ends_at', /RFC 3339/],
    [
      { cron: HOURLY, starts_at: '2026-05-22T13:05:00Z', ends_at: '2026-05-22T14:05:00+02:00' },
      'config.ends_at',
      /before config.starts_at/,
    ],
    [
      { cron: HOURLY, starts_at: '2026-05-22T13:05:00Z', ends_at: '2026-05-22T13:55:00Z' },
      'config.ends_at',
      /no tick before/,
    ],
    [{ cron: HOURLY, jitter_s: 3_600 }, 'config.jitter_s', /\(3600 s\)/],
    [{ cron: HOURLY, jitter_s: -1 }, 'config.jitter_s', /whole number/],
    [{ cron: HOURLY, jitter_s: 1.5 }, 'config.jitter_s', /whole number/],
    [{ cron: HOURLY, jitter_s: '60' }, 'config.jitter_s', /whole number/],
    [{ at: 'tomorrow' }, 'config.at', /RFC 3339/],
    [{ at: '2026-05-22T13:05:00' }, 'config.at', /RFC 3339/],
    [{ at: null }, 'config.at', /RFC 3339/],
    [{ at: '2026-05-22T13:05:00Z', cron: HOURLY }, 'config.cron', /together with "at"/],
    [{ at: '2026-05-22T13:05:00Z', timezone: 'UTC' }, 'config.timezone', /together with "at"/],
  ])('rejects %j', (config, field, problem) => {
    expect(checkSchedule(config)).toMatchObject({
      field,
      problem: expect.stringMatching(problem),
      fix: expect.any(String),
    })
  })

  it('proposes the time zone with a similar name', () => {
    expect(checkSchedule({ cron: HOURLY, timezone: 'Europe/Moskow' })?.fix).toBe(
      'Did you mean Europe/Moscow?',
    )
  })
})

describe('a schedule with bounds', () => {
  const { ticks } = scheduleOf(
    { cron: HOURLY, starts_at: '2026-05-22T14:00:00+02:00', ends_at: '2026-05-22T15:00:00Z' },
    'id',
  )

  it('has no tick before or after, and one at each bound', () => {
    const all: string[] = []
    for (let tick = ticks.next(0); tick !== undefined; tick = ticks.next(tick)) all.push(iso(tick))
    expect(all).toEqual([12, 13, 14, 15].map((hour) => `2026-05-22T${hour}:00:00.000Z`))
    expect(ticks.last(NOON + 100 * HOUR, 9).map(iso)).toEqual(all)
    expect(ticks.count(0, NOON + 100 * HOUR)).toBe(4)
    expect(ticks.count(NOON + 1, NOON + HOUR)).toBe(1)
    expect(ticks.count(0, NOON - 1)).toBe(0)
    expect(ticks.last(NOON, 3)).toEqual([])
  })

  it('says why it has no further ticks', () => {
    const reason = reasonWithoutTicks({ cron: HOURLY, ends_at: '2026-05-22T15:00:00Z' })
    expect(reason).toContain('config.ends_at')
    expect(reasonWithoutTicks({ at: '2026-05-22T15:00:00Z' })).toContain('config.at')
  })
})

describe('a schedule with jitter', () => {
  const config = { cron: '*/15 * * * *', jitter_s: 600 }

  it('delays each tick by the same time whenever it is computed, and differently per trigger', () => {
    const delays = (id: string) => {
      const { ticks, nominal } = scheduleOf(config, id)
      let after = NOON
      return Array.from({ length: 50 }, () => {
        after = ticks.next(after)!
        return after - nominal(after)
      })
    }
    expect(delays('a')).toEqual(delays('a'))
    expect(delays('a')).not.toEqual(delays('b'))
    expect(Math.max(...delays('a'))).toBeGreaterThan(300_000)
    for (const delay of delays('a')) expect(delay % 1_000).toBe(0)
  })

  it('keeps the order and number of ticks, forwards, backwards and counted', () => {
    const anyConfig = fc.constantFrom<ScheduleConfig>(
      config,
      { cron: '* * * * *', jitter_s: 59 },
      // On 8 March 2026, its ticks at 02:30 and 03:30 are 30 minutes apart.
      { cron: '30 2,3 * * *', timezone: 'America/New_York', jitter_s: 3_599 },
      { cron: HOURLY, timezone: 'Australia/Lord_Howe', jitter_s: 3_599 },
    )
    const around = fc.constantFrom(
      NOON,
      Date.parse('2026-03-08T07:00:00Z'),
      Date.parse('2026-11-01T06:00:00Z'),
      Date.parse('2026-04-04T15:00:00Z'),
    )
    fc.assert(
      fc.property(anyConfig, around, fc.integer({ min: -1e8, max: 1e8 }), (given, at, offset) => {
        const { ticks, nominal } = scheduleOf(given, 'id')
        const { ticks: exact } = scheduleOf({ ...given, jitter_s: 0 } as ScheduleConfig, 'id')
        const from = at + offset
        const found: number[] = []
        let after = from
        for (let n = 0; n < 30; n++) {
          const tick = ticks.next(after)!
          expect(tick).toBeGreaterThan(after)
          after = tick
          found.push(tick)
        }
        const nominals = found.map(nominal)
        for (const [n, tick] of nominals.slice(1).entries())
          expect(exact.next(nominals[n]!)).toBe(tick)
        for (const [n, tick] of found.entries()) {
          expect(tick).toBeGreaterThanOrEqual(nominals[n]!)
          expect(tick).toBeLessThan(exact.next(nominals[n]!)!)
        }
        expect(ticks.last(after + 1, 30)).toEqual(found)
        expect(ticks.count(from + 1, after)).toBe(30)
        expect(ticks.count(found[3]!, found[9]!)).toBe(7)
        expect(ticks.count(found[3]! + 1, found[9]! - 1)).toBe(5)
      }),
      { numRuns: 40 },
    )
  })

  it('delays no tick beyond the end of the schedule', () => {
    for (let n = 0; n < 50; n++) {
      const ends_at = '2026-05-22T12:00:05Z'
      const { ticks } = scheduleOf({ ...config, ends_at }, `trigger ${n}`)
      expect(ticks.next(NOON - 1)).toBeLessThanOrEqual(Date.parse(ends_at))
    }
  })
})
