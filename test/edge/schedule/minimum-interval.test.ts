import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSchedule } from '../../../edge/schedule/check-schedule.ts'
import { timesOfDay } from '../../../edge/schedule/cron.ts'
import { minimumInterval } from '../../../edge/schedule/minimum-interval.ts'
import { enumerate, timesOf } from './enumeration.ts'
import { anyCron, anyHours, anyMinutes, anySeconds } from './some-crons.ts'

const of = (cron: string) => minimumInterval(timesOfDay(cron))
const nearest = (times: number[]) =>
  Math.min(...times.slice(1).map((at, i) => (at - times[i]!) / 1000))

describe('the smallest interval of a cron', () => {
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
  ])('of %s is %i s, which is refused', (cron, seconds) => {
    expect(of(cron)).toBe(seconds)
    expect(checkSchedule({ cron })).toEqual({
      field: 'config.cron',
      problem: `its ticks may be ${seconds} s apart, and at least 30 s are required`,
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
  ])('of %s is %i s, which is taken', (cron, seconds) => {
    expect(of(cron)).toBe(seconds)
    expect(checkSchedule({ cron })).toBeUndefined()
  })

  it('is strict with ticks around a midnight that never comes between them', () => {
    expect(of('10,50 0,59 0,23 1,15 * *')).toBe(20)
  })

  it('is what every time of a day, compared with its neighbours, says', () => {
    fc.assert(
      fc.property(anySeconds, anyMinutes, anyHours, (seconds, minutes, hours) => {
        const today = timesOf(seconds, minutes, hours)
        const tomorrow = today[0]! + 86_400_000
        expect(of(`${seconds} ${minutes} ${hours} * * *`)).toBe(nearest([...today, tomorrow]))
      }),
      { numRuns: 500 },
    )
  })

  it('is never more than two ticks of three years are apart, whatever the days', () => {
    const from = Date.UTC(2026, 0, 1)
    fc.assert(
      fc.property(anyCron, (cron) => {
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
