import { describe, expect, it } from 'vitest'
import { dueTicks as dueTicksOf } from '../../../edge/schedule/due-ticks.ts'
import { oneOffTick, utcTicks } from '../../../edge/schedule/tick-source.ts'
import type { TriggerOptions } from '../../../shared/wire/trigger.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Noon of an arbitrary day. The cron expressions in these tests name multiples of 15 minutes. */
const NOON = Date.UTC(2026, 4, 22, 12)
const QUARTERS = '*/15 * * * *'

const dueTicks = (cron: string, first: number, now: number, misfire?: TriggerOptions['misfire']) =>
  dueTicksOf(utcTicks(cron), first, now, misfire)

describe('a due tick', () => {
  it('fires, and the next one follows from its nominal time', () => {
    expect(dueTicks(QUARTERS, NOON, NOON + 7)).toEqual({ fire: [NOON], next: NOON + 15 * MINUTE })
  })

  it.each(['coalesce', 'skip', 'all'] as const)('fires a minute late under %s', (misfire) => {
    const due = dueTicks(QUARTERS, NOON, NOON + MINUTE, misfire)
    expect(due).toEqual({ fire: [NOON], next: NOON + 15 * MINUTE })
  })

  it('is the last one if the cron expression has no later one', () => {
    const lastOfTime = Date.UTC(9999, 11, 31, 23, 45)
    expect(dueTicks('45 23 31 12 *', lastOfTime, lastOfTime).fire).toEqual([lastOfTime])
  })
})

describe('missed ticks', () => {
  it('fire one run for the latest, and the others are counted', () => {
    expect(dueTicks(QUARTERS, NOON, NOON + 47 * MINUTE)).toEqual({
      fire: [NOON + 45 * MINUTE],
      missed: { count: 3, latest: NOON + 30 * MINUTE },
      next: NOON + HOUR,
    })
  })

  it('fire no run if the latest is an hour old', () => {
    const daily = (late: number) => dueTicks('0 12 * * *', NOON, NOON + late)
    expect(daily(HOUR - 1)).toEqual({ fire: [NOON], next: NOON + DAY })
    expect(daily(HOUR)).toEqual({
      fire: [],
      missed: { count: 1, latest: NOON },
      next: NOON + DAY,
    })
  })

  it('are all counted after years, without delay', () => {
    const years = 3_650 * DAY
    const due = dueTicks('*/30 * * * * *', NOON, NOON + years)
    expect(due.fire).toEqual([NOON + years])
    expect(due.missed).toEqual({ count: 3_650 * 2_880, latest: NOON + years - 30 * SECOND })
  })

  it('under skip fire no run, except for a tick that is due just now', () => {
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

  it('under all fire one run each, oldest first, whatever their age', () => {
    const due = dueTicks('0 12 * * *', NOON, NOON + 3 * DAY + 5 * HOUR, 'all')
    expect(due).toEqual({
      fire: [NOON, NOON + DAY, NOON + 2 * DAY, NOON + 3 * DAY],
      next: NOON + 4 * DAY,
    })
  })

  it('under all fire the latest hundred, and the older ones are counted', () => {
    const { fire, missed } = dueTicks('* * * * *', NOON, NOON + 149 * MINUTE, 'all')
    expect(fire).toHaveLength(100)
    expect(fire[0]).toBe(NOON + 50 * MINUTE)
    expect(fire.at(-1)).toBe(NOON + 149 * MINUTE)
    expect(missed).toEqual({ count: 50, latest: NOON + 49 * MINUTE })
  })
})

describe('a missed one-off run', () => {
  const once = oneOffTick(NOON)

  it.each([undefined, 'coalesce', 'all'] as const)('fires days late under %s', (misfire) => {
    expect(dueTicksOf(once, NOON, NOON + 3 * DAY, misfire)).toEqual({ fire: [NOON] })
  })

  it('fires up to a minute late under skip, and is then counted as missed', () => {
    expect(dueTicksOf(once, NOON, NOON + MINUTE, 'skip')).toEqual({ fire: [NOON] })
    expect(dueTicksOf(once, NOON, NOON + MINUTE + 1, 'skip')).toEqual({
      fire: [],
      missed: { count: 1, latest: NOON },
    })
  })
})
