/**
 * Plays reservations of one wallet on two clocks, of which at least one is right at any time, and compares each decision
 * with a model that keeps every amount with its times.
 */
import { UINT256_MAX } from '../../../shared/policies/numbers.ts'
import { EMPTY_SUM, remainingOf } from '../../../shared/policies/rolling-sum.ts'
import {
  reserveCharges,
  sumStateJson,
  sumStateSchema,
  type SumStates,
} from '../../../shared/policies/sum-states.ts'
import { Random } from '../../origin/credits/simulation/random.ts'

const STEPS = 150
const SUMS = ['a', 'b', 'c']

/** An amount that was reserved at a true time, and the later of the two clocks at that time. */
type Entry = { time: number; recordedAt: number; amount: bigint }

class ExactSum {
  readonly max: bigint
  readonly windowMs: number
  readonly #entries: Entry[] = []
  /** Latest time of the earlier clock at which an amount was added. */
  #latest = 0

  constructor(max: bigint, windowMs: number) {
    this.max = max
    this.windowMs = windowMs
  }

  /** Amount that remains in the true window. */
  room(time: number): bigint {
    return this.max - total(this.#entries, (entry) => entry.time > time - this.windowMs)
  }

  /** Amount that remains if each amount counts for one bucket longer, by the clocks. */
  cautiousRoom(earlier: number): bigint {
    const bucketMs = Math.ceil(this.windowMs / 64)
    const from = Math.max(earlier, this.#latest) - this.windowMs - bucketMs
    return this.max - total(this.#entries, ({ recordedAt }) => recordedAt > from)
  }

  add(entry: Entry, earlier: number): void {
    this.#latest = Math.max(this.#latest, earlier)
    this.#entries.push(entry)
  }
}

function total(entries: readonly Entry[], counts: (entry: Entry) => boolean): bigint {
  return entries.reduce((sum, entry) => (counts(entry) ? sum + entry.amount : sum), 0n)
}

/** Two clocks. One of them can be wrong, by up to two windows. */
class TwoClocks {
  readonly #random: Random
  readonly #windowMs: number
  #wrong = { index: 0, aheadMs: 0 }

  constructor(random: Random, windowMs: number) {
    this.#random = random
    this.#windowMs = windowMs
  }

  read(time: number): { earlier: number; later: number } {
    const random = this.#random
    if (random.chance(0.1)) {
      const aheadMs = random.chance(0.5) ? 0 : random.integer(-2, 2) * this.#windowMs
      const jitterMs = random.integer(-2_000, 2_000)
      this.#wrong = { index: random.integer(0, 1), aheadMs: aheadMs + jitterMs }
    }
    const wrong = Math.max(0, time + this.#wrong.aheadMs)
    return { earlier: Math.min(time, wrong), later: Math.max(time, wrong) }
  }
}

/** @returns a violation, if any */
export function playSums(
  seed: number,
  played: { reservations: number; refused: number },
): string | undefined {
  const random = new Random(seed)
  const windowMs = random.pick([60, 61, 3_600, 86_400, 31_536_000]) * 1_000
  const sums = new Map(SUMS.map((key) => [key, new ExactSum(randomMax(random), windowMs)]))
  const clocks = new TwoClocks(random, windowMs)
  let states: SumStates = new Map()
  let time = random.integer(4 * windowMs, 2_000_000_000_000)
  for (let step = 0; step < STEPS; step++) {
    time += random.integer(0, Math.floor(windowMs / random.pick([5, 20, 1_000])))
    const { earlier, later } = clocks.read(time)
    const charges = SUMS.filter(() => random.chance(0.5)).map((key) => {
      const { max } = sums.get(key)!
      const amount = (max * BigInt(random.integer(0, 100))) / BigInt(random.pick([100, 300]))
      return { sum: key, key, amount, max, window_s: windowMs / 1_000 }
    })
    const left = (key: string, charge: { max: bigint; window_s: number }) =>
      remainingOf(states.get(key) ?? EMPTY_SUM, charge, earlier)
    for (const charge of charges) {
      const sum = sums.get(charge.key)!
      if (left(charge.key, charge) > sum.room(time))
        return `step ${step}: more remains than exactly`
      if (left(charge.key, charge) < sum.cautiousRoom(earlier))
        return `step ${step}: less remains than with an additional bucket`
    }
    const isRoom = charges.every((charge) => charge.amount <= left(charge.key, charge))
    const result = reserveCharges(states, charges, earlier, later)
    played.reservations++
    if (result.isReserved !== isRoom) return `step ${step}: the decision contradicts what remains`
    if (!result.isReserved) {
      played.refused++
      continue
    }
    states = random.chance(0.05) ? stored(result.states) : result.states
    for (const { key, amount } of charges) {
      sums.get(key)!.add({ time, recordedAt: later, amount }, earlier)
      if (sums.get(key)!.room(time) < 0n) return `step ${step}: ${key} exceeds its maximum`
      const buckets = states.get(key)?.buckets.length ?? 0
      if (buckets > 192) return `step ${step}: ${buckets} buckets`
    }
  }
  return undefined
}

/** The states as they are read again from their JSON form. */
function stored(states: SumStates): SumStates {
  return new Map(
    [...states].map(([key, state]) => {
      const json: unknown = JSON.parse(JSON.stringify(sumStateJson(state)))
      return [key, sumStateSchema.parse(json)]
    }),
  )
}

const randomMax = (random: Random): bigint =>
  random.pick([1n, BigInt(random.integer(1, 1_000_000)), 10n ** 24n, UINT256_MAX])
