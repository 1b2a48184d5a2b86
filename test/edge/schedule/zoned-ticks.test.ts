import { describe, expect, it } from 'vitest'
import { TimeZone } from '../../../edge/schedule/time-zone.ts'
import { ZonedTicks } from '../../../edge/schedule/zoned-ticks.ts'

const HOUR = 60 * 60 * 1000
const ticksOf = (cron: string, zone: string) => new ZonedTicks(cron, new TimeZone(zone))

/** Returns the local times of the ticks in two days from a time, such as `2026-03-08 03:00:00-04:00`. */
function local(cron: string, zone: string, from: string, hours = 48): string[] {
  const ticks = ticksOf(cron, zone)
  const start = Date.parse(from)
  const times: string[] = []
  let tick = ticks.next(start - 1)
  while (tick !== undefined && tick < start + hours * HOUR) {
    times.push(new TimeZone(zone).localTime(tick).replace('T', ' '))
    tick = ticks.next(tick)
  }
  return times
}

describe('a local time that does not exist', () => {
  it('fires at the first instant after the gap', () => {
    expect(local('30 2 * * *', 'America/New_York', '2026-03-08T00:00:00-05:00')).toEqual([
      '2026-03-08 03:00:00-04:00',
      '2026-03-09 02:30:00-04:00',
    ])
  })

  it('fires at midnight, if the gap is there', () => {
    expect(local('30 0 * * *', 'America/Havana', '2026-03-08T00:00:00-05:00', 23)).toEqual([
      '2026-03-08 01:00:00-04:00',
    ])
  })

  it('of which there are several fires once, also together with a tick at the end of the gap', () => {
    expect(local('*/10 2,3 * * *', 'Europe/Berlin', '2026-03-29T00:00:00+01:00', 24)).toEqual(
      ['03:00', '03:10', '03:20', '03:30', '03:40', '03:50'].map(
        (time) => `2026-03-29 ${time}:00+02:00`,
      ),
    )
  })

  it('fires half an hour later on Lord Howe Island', () => {
    expect(local('15 2 * * *', 'Australia/Lord_Howe', '2026-10-04T00:00:00+10:30', 24)).toEqual([
      '2026-10-04 02:30:00+11:00',
    ])
  })

  it('fires the next day in Samoa, which skipped 30 December 2011', () => {
    expect(local('0 9 * * *', 'Pacific/Apia', '2011-12-29T00:00:00-10:00')).toEqual([
      '2011-12-29 09:00:00-10:00',
      '2011-12-31 00:00:00+14:00',
      '2011-12-31 09:00:00+14:00',
    ])
  })

  it('does not fire if the hour is a wildcard, because no time has passed', () => {
    expect(local('30 * * * *', 'America/New_York', '2026-03-08T01:00:00-05:00', 3)).toEqual([
      '2026-03-08 01:30:00-05:00',
      '2026-03-08 03:30:00-04:00',
      '2026-03-08 04:30:00-04:00',
    ])
  })
})

describe('a local time that occurs twice', () => {
  it('fires the first time', () => {
    expect(local('30 1 * * *', 'America/New_York', '2026-11-01T00:00:00-04:00')).toEqual([
      '2026-11-01 01:30:00-04:00',
      '2026-11-02 01:30:00-05:00',
    ])
  })

  it.each(['*', '*/1', '0-23'])('fires each time if the hour is %s', (hour) => {
    const cron = `30 ${hour} * * *`
    expect(local(cron, 'America/New_York', '2026-11-01T00:30:00-04:00', 3)).toEqual([
      '2026-11-01 00:30:00-04:00',
      '2026-11-01 01:30:00-04:00',
      '2026-11-01 01:30:00-05:00',
    ])
  })

  it('fires each time in the last hour of a day, although the next day matches only a week later', () => {
    const ticks = ticksOf('5 * * * 6', 'America/Santiago')
    const [first, second] = ['2026-04-05T02:05:00Z', '2026-04-05T03:05:00Z'].map((at) =>
      Date.parse(at),
    )
    expect(ticks.next(first! - 1)).toBe(first)
    expect(ticks.next(first!)).toBe(second)
    expect(ticks.last(second! + 24 * HOUR, 2)).toEqual([first, second])
    expect(ticks.count(first!, second!)).toBe(2)
  })

  it('fires each time in the first hour of a day, although the day before does not match', () => {
    const [first, second] = ['2011-11-13T04:59:10Z', '2011-11-13T05:59:10Z'].map((at) =>
      Date.parse(at),
    )
    const ticks = ticksOf('10 59 * * * 0', 'America/Havana')
    expect(ticks.last(second! + 1, 2)).toEqual([first, second])
    expect(ticks.next(first!)).toBe(second)
  })

  it('fires once at midnight, before the clock is set back to the day before', () => {
    expect(local('45 23 * * *', 'America/Santiago', '2026-04-04T12:00:00-03:00', 40)).toEqual([
      '2026-04-04 23:45:00-03:00',
      '2026-04-05 23:45:00-04:00',
    ])
  })
})

describe('a change of the clock cannot bring ticks closer than 30 s together', () => {
  it('if it sets the clock back by half an hour', () => {
    // The tick at 01:59:50 is followed by 01:30:10, 20 s later.
    expect(
      local('10,50 30,59 * * * *', 'Australia/Lord_Howe', '2026-04-05T01:59:00+11:00', 1),
    ).toEqual([
      '2026-04-05 01:59:10+11:00',
      '2026-04-05 01:59:50+11:00',
      '2026-04-05 01:30:50+10:30',
      '2026-04-05 01:59:10+10:30',
      '2026-04-05 01:59:50+10:30',
    ])
  })

  it('if a tick from the gap is made up for shortly after another tick', () => {
    expect(
      local('50 30,59 1,2 * * *', 'America/New_York', '2026-03-08T01:00:00-05:00', 20),
    ).toEqual(['2026-03-08 01:30:50-05:00', '2026-03-08 01:59:50-05:00'])
  })

  it('if a tick from the gap is made up for shortly before another tick', () => {
    expect(local('15 0,30 2,3 * * *', 'America/New_York', '2026-03-08T01:00:00-05:00', 3)).toEqual([
      '2026-03-08 03:00:00-04:00',
      '2026-03-08 03:30:15-04:00',
    ])
  })
})

describe('the mark of a tick', () => {
  it.each([
    ['30 2 * * *', 'America/New_York', '2026-03-08T07:00:00Z', 'skipped'],
    ['30 2 * * *', 'America/New_York', '2026-03-09T06:30:00Z', undefined],
    ['30 1 * * *', 'America/New_York', '2026-11-01T05:30:00Z', 'repeated'],
    ['30 * * * *', 'America/New_York', '2026-11-01T05:30:00Z', 'repeated'],
    ['30 * * * *', 'America/New_York', '2026-11-01T06:30:00Z', 'repeated'],
    ['30 * * * *', 'America/New_York', '2026-11-01T04:30:00Z', undefined],
    ['30 * * * *', 'America/New_York', '2026-11-01T07:30:00Z', undefined],
  ])('of %s in %s at %s is %s', (cron, zone, at, mark) => {
    const tick = Date.parse(at)
    const ticks = ticksOf(cron, zone)
    expect(ticks.next(tick - 1)).toBe(tick)
    expect(ticks.clockChange(tick)).toBe(mark)
  })
})

it('finds the next tick of a rare expression decades ahead', () => {
  expect(local('0 12 29 2 *', 'Europe/Berlin', '2096-03-01T00:00:00Z', 9 * 366 * 24)).toEqual([
    '2104-02-29 12:00:00+01:00',
  ])
})
