import { describe, expect, it } from 'vitest'
import {
  DENSE,
  liveThrough,
  liveWithOutages,
  seeded,
  SPARSE,
  TEN_YEARS,
} from '../edge/schedule/years.ts'
import { boundsOr } from './bounds.ts'

const ONE_YEAR = { from: TEN_YEARS.from, to: TEN_YEARS.from + 365 * 24 * 60 * 60 * 1000 }

const all = [...SPARSE, ...DENSE].map((cron, index) => ({ cron, number: index + 1 }))
const { first, count } = boundsOr({ first: 1, count: all.length })
const schedules = all.slice(first - 1, first - 1 + count)
const dense = schedules.filter(({ cron }) => DENSE.includes(cron))

describe('schedules compared with an independent enumeration', () => {
  it.for(schedules)('$cron: fires each tick of ten years once', ({ cron, number }, { task }) => {
    const fired = liveThrough(cron, TEN_YEARS, seeded(number))
    task.meta.figures = { 'ticks of ten years': fired }
    expect(fired).toBeGreaterThan(1)
  })

  it.for(dense)(
    '$cron: fires or misses each tick of a year with outages',
    ({ cron, number }, { task }) => {
      const missed = liveWithOutages(cron, ONE_YEAR, seeded(number))
      task.meta.figures = { 'ticks missed in outages': missed }
      expect(missed).toBeGreaterThan(1)
    },
  )
})
