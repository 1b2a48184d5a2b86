import { describe, expect, it } from 'vitest'
import { DENSE, liveThrough, liveWithOutages, seeded, SPARSE, TEN_YEARS } from './years.ts'

/** Spans the end of February in a leap year. */
const THREE_DAYS = { from: Date.UTC(2028, 1, 27, 12, 0, 7), to: Date.UTC(2028, 2, 1, 12) }

describe('every tick of an independent enumeration', () => {
  it.each(SPARSE)('of %s is fired once in ten years', (cron) => {
    expect(liveThrough(cron, TEN_YEARS, seeded(1))).toBeGreaterThan(1)
  })

  it.each(DENSE)('of %s is fired once in three days', (cron) => {
    expect(liveThrough(cron, THREE_DAYS, seeded(2))).toBeGreaterThan(30)
  })

  it('is fired or counted as missed in ten years with outages', () => {
    const random = seeded(3)
    const missed = SPARSE.map((cron) => liveWithOutages(cron, TEN_YEARS, random))
    expect(missed.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_000)
  })
})
