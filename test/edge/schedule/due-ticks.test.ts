import { describe, expect, it } from 'vitest'
import { dueTicks } from '../../../edge/schedule/due-ticks.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Noon of some day; crons of these tests name whole quarters of an hour. */
const NOON = Date.UTC(2026, 4, 22, 12)
const QUARTERS = '*/15 * * * *'

describe('a tick that is due', () => {
  it('fires, and the next one is counted from its nominal time', () => {
    expect(dueTicks(QUARTERS, NOON, NOON + 7)).toEqual({ fire: [NOON], next: NOON + 15 * MINUTE })
  })

  it.each(['coalesce', 'skip', 'all'] as const)('fires a minute late under %s', (misfire) => {
    const due = dueTicks(QUARTERS, NOON, NOON + MINUTE, misfire)
    expect(due).toEqual({ fire: [NOON], next: NOON + 15 * MINUTE })
  })

  it('is the last where the cron names no other', () => {
    const lastOfTime = Date.UTC(9999, 11, 31, 23, 45)
    expect(dueTicks('45 23 31 12 *', lastOfTime, lastOfTime).fire).toEqual([lastOfTime])
  })
})

describe('ticks that were missed', () => {
  it('are one run for the latest, and the others are counted', () => {
    expect(dueTicks(QUARTERS, NOON, NOON + 47 * MINUTE)).toEqual({
      fire: [NOON + 45 * MINUTE],
      missed: { count: 3, latest: NOON + 30 * MINUTE },
      next: NOON + HOUR,
    })
  })

  it('are no run once the latest is an hour old', () => {
    const daily = (late: number) => dueTicks('0 12 * * *', NOON, NOON + late)
    expect(daily(HOUR - 1)).toEqual({ fire: [NOON], next: NOON + DAY })
    expect(daily(HOUR)).toEqual({
      fire: [],
      missed: { count: 1, latest: NOON },
      next: NOON + DAY,
    })
  })

  it('are all counted after years, at once', () => {
    const years = 3_650 * DAY
    const due = dueTicks('*/30 * * * * *', NOON, NOON + years)
    expect(due.fire).toEqual([NOON + years])
    expect(due.missed).toEqual({ count: 3_650 * 2_880, latest: NOON + years - 30 * SECOND })
  })

  it('under skip, are no run at all but the one that has just come', () => {
    expect(dueTicks(QUARTERS, NOON, NOON + 47 * MINUTE, 'skip')).toEqual({
      fire: [],
      missed: { count: 4, latest: NOON + 45 * MINUTE },
      next: NOON + HOUR,
    })
    expect(dueTicks(QUARTERS, NOON, NOON + 45 * MINUTE + 9, 'skip')).toEqual({
      fire: [NOON + 45 * MINUTE],
      missed: { count: 3, latest: NOON + 30 * MINUTE },
      next: NOON + HOUR,
    })
  })

  it('under all, are a run each, oldest first, however old', () => {
    const due = dueTicks('0 12 * * *', NOON, NOON + 3 * DAY + 5 * HOUR, 'all')
    expect(due).toEqual({
      fire: [NOON, NOON + DAY, NOON + 2 * DAY, NOON + 3 * DAY],
      next: NOON + 4 * DAY,
    })
  })

  it('under all, are the latest hundred, and the older ones are counted', () => {
    const { fire, missed } = dueTicks('* * * * *', NOON, NOON + 149 * MINUTE, 'all')
    expect(fire).toHaveLength(100)
    expect(fire[0]).toBe(NOON + 50 * MINUTE)
    expect(fire.at(-1)).toBe(NOON + 149 * MINUTE)
    expect(missed).toEqual({ count: 50, latest: NOON + 49 * MINUTE })
  })
})
