/** Rolling sums against exact ones. `exact-sums.ts` has the model. */
import { expect, it } from 'vitest'
import {
  addToSum,
  availableAt,
  EMPTY_SUM,
  remainingOf,
  type SumState,
  usedOf,
} from '../../../shared/policies/rolling-sum.ts'
import { boundsOr } from '../../nightly/bounds.ts'
import { campaignOf, commandOf } from '../../nightly/campaigns.ts'
import { FailedSeeds } from '../../nightly/failed-seeds.ts'
import { Random } from '../../origin/credits/simulation/random.ts'
import { playSums } from './exact-sums.ts'

const { first, count } = boundsOr({ first: 1, count: 200 })

type Entry = { time: number; amount: bigint }

/** The exact sum of the amounts within the window before a time. */
const exact = (entries: readonly Entry[], windowMs: number, now: number): bigint =>
  entries.reduce((sum, { time, amount }) => (time > now - windowMs ? sum + amount : sum), 0n)

it('agree with exact lists while one of two clocks is wrong', ({ task }) => {
  const failed = new FailedSeeds(commandOf(campaignOf('sums')))
  const played = { reservations: 0, refused: 0 }
  for (let seed = first; seed < first + count; seed++) {
    const violation = playSums(seed, played)
    if (violation !== undefined) failed.add(seed, violation, [])
  }
  task.meta.figures = played
  failed.throwIfAny(task.meta)
  expect(played.refused).toBeGreaterThan(count)
  expect(played.reservations - played.refused).toBeGreaterThan(count)
})

it('let at least 90 % of the cap be used over time', () => {
  for (let seed = first; seed < first + count / 4; seed++) {
    const random = new Random(seed)
    const limit = { max: 1_000n, window_s: random.pick([60, 3_600, 86_400]) }
    const windowMs = limit.window_s * 1_000
    let state: SumState = EMPTY_SUM
    let now = random.integer(0, 2_000_000_000_000)
    const entries: Entry[] = []
    let [used, usedExactly] = [0n, 0n]
    for (const end = now + 20 * windowMs; now < end; now += random.integer(1, windowMs / 10)) {
      const wanted = BigInt(random.integer(1, 300))
      const left = remainingOf(state, limit, now)
      const amount = wanted < left ? wanted : left
      state = addToSum(state, limit, amount, now)!
      used += amount
      const leftExactly = limit.max - exact(entries, windowMs, now)
      const amountExactly = wanted < leftExactly ? wanted : leftExactly
      entries.push({ time: now, amount: amountExactly })
      usedExactly += amountExactly
    }
    expect(Number(used) / Number(usedExactly), `seed ${seed}`).toBeGreaterThan(0.9)
  }
})

const DAY = { max: 100n, window_s: 86_400 }
const NOON = Date.parse('2026-07-01T12:00:00Z')
const HOUR = 3_600_000

it('clock set back: the amount counts from the latest time that was seen', () => {
  const before = addToSum(EMPTY_SUM, DAY, 60n, NOON)!
  const back = addToSum(before, DAY, 40n, NOON - 20 * HOUR)!
  expect(remainingOf(back, DAY, NOON - 48 * HOUR)).toBe(0n)
  expect(remainingOf(back, DAY, NOON + 23 * HOUR)).toBe(0n)
  expect(remainingOf(back, DAY, NOON + 25 * HOUR)).toBe(100n)
})

it('a window that the owner changes still counts what was added before', () => {
  const state = addToSum(EMPTY_SUM, { max: 100n, window_s: 3_600 }, 60n, NOON)!
  expect(usedOf(state, DAY, NOON + 12 * HOUR)).toBe(60n)
  expect(remainingOf(state, { ...DAY, max: 50n }, NOON)).toBe(0n)
})

it('tell when an amount can be added again', () => {
  const state = addToSum(addToSum(EMPTY_SUM, DAY, 60n, NOON)!, DAY, 40n, NOON + HOUR)!
  const time = availableAt(state, DAY, 50n, NOON + HOUR)!
  expect(time).toBeGreaterThan(NOON + 24 * HOUR)
  expect(addToSum(state, DAY, 50n, time - 1)).toBeUndefined()
  expect(addToSum(state, DAY, 50n, time)).toBeDefined()
  expect(availableAt(state, DAY, 101n, NOON)).toBeUndefined()
})

it('refuse negative amounts, which would free what is used', () => {
  expect(addToSum(EMPTY_SUM, DAY, -1n, NOON)).toBeUndefined()
})
