import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSchedule } from '../../../edge/schedule/check-schedule.ts'
import { cronProblem } from '../../../edge/schedule/cron.ts'
import { minimumInterval } from '../../../edge/schedule/minimum-interval.ts'
import { enumerate, enumerateDays, timesOf, timesOfCron } from './enumeration.ts'
import { anyCron, anyHours, anyMinutes, anySeconds, cronAroundMidnight } from './some-crons.ts'

const of = (cron: string) => minimumInterval(cron).seconds
const nearest = (times: number[]) =>
  Math.min(...times.slice(1).map((at, i) => (at - times[i]!) / 1000))

describe('the minimum interval of a cron expression', () => {
  it.each([
    ['* * * * * *', 1],
    ['0,10 * * * * *', 10],
    ['*/45 * * * * *', 15],
    ['*/40 * * * * *', 20],
    ['*/29 * * * * *', 2],
    ['0,31 * * * * *', 29],
    ['14,45 * * * * *', 29],
    ['0,59 * * * * *', 1],
    ['0,29 0 0 29 2 *', 29],
    ['5,40 0-58/2,59 3 * * *', 25],
    ['10,50 0,59 0,23 31,1 12,1 *', 20],
    ['10,50 0,59 * * * *', 20],
    ['10,50 0,59 0,23 * * *', 20],
  ])('of %s is %i s, which is rejected', (cron, seconds) => {
    expect(of(cron)).toBe(seconds)
    expect(checkSchedule({ cron })).toEqual({
      field: 'config.cron',
      problem: expect.stringMatching(
        new RegExp(`^its ticks at \\S+Z and \\S+Z are ${seconds} s apart; the minimum is 30 s$`),
      ),
    })
  })

  it.each([
    ['*/30 * * * * *', 30],
    ['0,30 * * * * *', 30],
    ['15,45 * * * * *', 30],
    ['10,50 */2 * * * *', 40],
    ['10,50 0,59 1 * * *', 40],
    ['* * * * *', 60],
    ['*/7 * * * *', 240],
    ['0 * * * *', 3_600],
    ['30 4,22 * * *', 6 * 3_600],
    ['0 3 * * *', 86_400],
    // Their ticks before and after midnight are on days that are never consecutive.
    ['0,50 0,59 0,23 1 * *', 50],
    ['10,50 0,59 0,23 1,15 * *', 40],
    ['10,50 0,59 0,23 */2 2,4 *', 40],
    ['10,50 0,59 0,23 */2 * 2,4', 40],
    ['0 3 1 * *', 28 * 86_400],
    ['0 3 * * 1', 7 * 86_400],
    ['0 3 29 2 *', 1461 * 86_400],
    ['0 3 L * *', 28 * 86_400],
    // A 29 February on a Monday is 28 years after the previous one, or 12 if 2100 is between them.
    ['0 3 29 2 +1', 4_382 * 86_400],
  ])('of %s is %i s, which is accepted', (cron, seconds) => {
    expect(of(cron)).toBe(seconds)
    expect(checkSchedule({ cron })).toBeUndefined()
  })

  it.each([
    ['*/45 * * * * *', '2000-01-01T00:00:45Z and 2000-01-01T00:01:00Z are 15 s'],
    ['5,40 0-58/2,59 3 * * *', '2000-01-01T03:58:40Z and 2000-01-01T03:59:05Z are 25 s'],
    ['10,50 0,59 5,6 * * *', '2000-01-01T05:59:50Z and 2000-01-01T06:00:10Z are 20 s'],
    ['10,50 0,59 0,23 31,1 12,1 *', '2000-12-31T23:59:50Z and 2001-01-01T00:00:10Z are 20 s'],
    // Days that are consecutive only at the end of a February without a 29th.
    ['10,50 0,59 0,23 28,1 2,3 *', '2001-02-28T23:59:50Z and 2001-03-01T00:00:10Z are 20 s'],
    ['10,50 0,59 0,23 29,1 2,3 *', '2000-02-29T23:59:50Z and 2000-03-01T00:00:10Z are 20 s'],
  ])('of %s is rejected with the two ticks', (cron, problem) => {
    expect(checkSchedule({ cron })?.problem).toContain(problem)
  })

  it('matches an independent enumeration of 400 years, between two existing ticks', () => {
    const from = Date.UTC(2000, 0, 1)
    const cycle = Date.UTC(2400, 0, 1) - from
    fc.assert(
      fc.property(fc.oneof(anyCron, cronAroundMidnight), (cron) => {
        const times = timesOfCron(cron)
        const midnights = [...enumerateDays(cron, from, from + cycle - 1)]
        if (midnights.length === 0) {
          expect(cronProblem(cron)).toBe('the expression never fires')
          return
        }
        midnights.push(midnights[0]! + cycle)
        const overnight = midnights
          .slice(1)
          .map((midnight, at) => (midnight + times[0]! - midnights[at]! - times.at(-1)!) / 1000)
        const { seconds, first, second } = minimumInterval(cron)
        const least = overnight.reduce((a, b) => Math.min(a, b), nearest(times))
        expect({ cron, seconds }).toEqual({ cron, seconds: least })
        expect([...enumerate(cron, first * 1000 - 1, second * 1000)]).toEqual([
          first * 1000,
          second * 1000,
        ])
      }),
      { numRuns: 40 },
    )
  }, 60_000)

  it('is the smallest gap in an enumeration of two days', () => {
    fc.assert(
      fc.property(anySeconds, anyMinutes, anyHours, (seconds, minutes, hours) => {
        const today = timesOf(seconds, minutes, hours)
        const tomorrow = today[0]! + 86_400_000
        expect(of(`${seconds} ${minutes} ${hours} * * *`)).toBe(nearest([...today, tomorrow]))
      }),
      { numRuns: 500 },
    )
  })

  it('is never larger than a gap in an enumeration of three years', () => {
    const from = Date.UTC(2026, 0, 1)
    fc.assert(
      fc.property(anyCron, (cron) => {
        fc.pre(cronProblem(cron) === undefined)
        let before: number | undefined
        const least = of(cron) * 1000
        for (const tick of enumerate(cron, from, from + 3 * 365 * 86_400_000)) {
          if (before !== undefined && tick - before < least)
            expect.fail(`${cron}: ${tick - before}`)
          before = tick
        }
      }),
      { numRuns: 30 },
    )
  })
})
