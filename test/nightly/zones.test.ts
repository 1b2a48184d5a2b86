import { describe, expect, it } from 'vitest'
import { MinuteOffsets, ZONES } from '../edge/schedule/zone-enumeration.ts'
import {
  COMING_YEARS,
  compareAroundChanges,
  compareTicks,
  DENSE_LOCAL,
  PAST_YEARS,
  SPARSE_LOCAL,
} from '../edge/schedule/zoned-years.ts'
import { boundsOr } from './bounds.ts'

const { first, count } = boundsOr({ first: 1, count: ZONES.length })

describe.for(ZONES.slice(first - 1, first - 1 + count))('ticks in %s', (zone) => {
  const offsets = new MinuteOffsets(zone)

  it('match an enumeration of twenty years by the minute', ({ task }) => {
    let ticks = 0
    for (const years of [PAST_YEARS, COMING_YEARS]) {
      for (const cron of SPARSE_LOCAL) ticks += compareTicks(cron, zone, offsets, years)
      for (const cron of DENSE_LOCAL) ticks += compareAroundChanges(cron, zone, offsets, years)
    }
    task.meta.figures = { 'ticks by local time': ticks }
    expect(ticks).toBeGreaterThan(10_000)
  })
})
