import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cronProblem } from '../../../edge/schedule/cron.ts'
import { minimumInterval } from '../../../edge/schedule/minimum-interval.ts'
import { TimeZone } from '../../../edge/schedule/time-zone.ts'
import { ZonedTicks } from '../../../edge/schedule/zoned-ticks.ts'
import { MinuteOffsets, ZONES } from './zone-enumeration.ts'
import {
  compareAroundChanges,
  compareTicks,
  DENSE_LOCAL,
  PAST_YEARS,
  SPARSE_LOCAL,
} from './zoned-years.ts'
import { anyCron, cronAroundChanges } from './some-crons.ts'

const all = new Map(ZONES.map((zone) => [zone, new MinuteOffsets(zone)]))

describe('the ticks of ten years match an enumeration by the minute', () => {
  // The nightly campaign compares every expression in every zone.
  it.each(ZONES.map((zone, at) => [zone, SPARSE_LOCAL[at % SPARSE_LOCAL.length]!] as const))(
    'in %s, of %s',
    (zone, cron) => {
      expect(compareTicks(cron, zone, all.get(zone)!, PAST_YEARS)).toBeGreaterThan(100)
    },
  )

  it.each(ZONES.map((zone, at) => [zone, DENSE_LOCAL[at % DENSE_LOCAL.length]!] as const))(
    'around the changes of the clock in %s, of %s',
    (zone, cron) => {
      const { from } = PAST_YEARS
      const years = { from, to: from + 365 * 86_400_000 }
      const hasChanges = !['Asia/Kathmandu', 'Pacific/Kiritimati'].includes(zone)
      expect(compareAroundChanges(cron, zone, all.get(zone)!, years) > 0).toBe(hasChanges)
    },
  )
})

describe('a random expression', () => {
  const changes = ZONES.flatMap((zone) =>
    [...all.get(zone)!.changes(PAST_YEARS.from, PAST_YEARS.to)].map((at) => ({ zone, at })),
  )
  const legal = fc
    .oneof({ weight: 3, arbitrary: cronAroundChanges }, { weight: 1, arbitrary: anyCron })
    .filter((cron) => cronProblem(cron) === undefined && minimumInterval(cron).seconds >= 30)

  it('fires at the enumerated times around a change of the clock', () => {
    fc.assert(
      fc.property(
        legal,
        fc.constantFrom(...changes),
        fc.integer({ min: 1, max: 2 }),
        (cron, { zone, at }, days) => {
          const range = { from: at - days * 86_400_000, to: at + days * 86_400_000 }
          compareTicks(cron, zone, all.get(zone)!, range)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('never has ticks less than 30 s apart', () => {
    const day = 86_400_000
    fc.assert(
      fc.property(legal, fc.constantFrom(...changes), (cron, { zone, at }) => {
        const ticks = new ZonedTicks(cron, new TimeZone(zone))
        let [before] = ticks.last(at - day, 1)
        for (let tick = ticks.next(at - day); tick! < at + day; tick = ticks.next(tick!)) {
          expect(tick! - (before ?? 0)).toBeGreaterThanOrEqual(30_000)
          before = tick
        }
      }),
      { numRuns: 100 },
    )
  })
})
