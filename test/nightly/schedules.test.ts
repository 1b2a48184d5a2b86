import { describe, expect, it } from 'vitest'
import {
  DENSE,
  liveThrough,
  liveWithOutages,
  seeded,
  SPARSE,
  TEN_YEARS,
} from '../edge/schedule/years.ts'

const ONE_YEAR = { from: TEN_YEARS.from, to: TEN_YEARS.from + 365 * 24 * 60 * 60 * 1000 }

describe('schedules against an independent enumeration', () => {
  it.each([...SPARSE, ...DENSE])('%s: every tick of ten years is fired once', (cron) => {
    const seed = Date.now()
    expect(liveThrough(cron, TEN_YEARS, seeded(seed)), `seed ${seed}`).toBeGreaterThan(1)
  })

  it.each(DENSE)('%s: every tick of a year with outages is fired or missed', (cron) => {
    const seed = Date.now()
    expect(liveWithOutages(cron, ONE_YEAR, seeded(seed)), `seed ${seed}`).toBeGreaterThan(1)
  })
})
