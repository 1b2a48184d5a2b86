/**
 * Rolling sums. Amounts are added up in buckets of time, so that a sum needs little storage. A bucket counts in full
 * until its end has left the window: a sum can be too high for a moment, but is never too low.
 */

/** What was added to one sum. Plain data, which can be stored as JSON if amounts are written as texts. */
export type SumState = {
  /** The latest time at which the sum was changed. Unix time in milliseconds. */
  latest: number
  buckets: readonly SumBucket[]
}

/** Amounts that were added before `ends` (exclusive) and after the bucket before it. */
export type SumBucket = { ends: number; amount: bigint }

export type SumLimit = { max: bigint; window_s: number }

export const EMPTY_SUM: SumState = { latest: 0, buckets: [] }

/** With 64 buckets, an amount counts for at most 1.6 % longer than the window. */
const BUCKETS = 64

/** Returns the sum of all amounts that were added within the window before `now`. */
export function usedOf({ buckets }: SumState, { window_s }: SumLimit, now: number): bigint {
  const from = now - window_s * 1_000
  let used = 0n
  for (const { ends, amount } of buckets) if (ends > from) used += amount
  return used
}

/** Returns what can still be added. Zero if the limit was lowered below what is used. */
export function remainingOf(state: SumState, limit: SumLimit, now: number): bigint {
  const left = limit.max - usedOf(state, limit, clockOf(state, now))
  return left > 0n ? left : 0n
}

/**
 * Adds an amount to a sum. Time never goes back: if the clock is set back, the amount belongs to the latest time that
 * the sum has seen.
 * @returns undefined if the sum would exceed its limit
 */
export function addToSum(
  state: SumState,
  limit: SumLimit,
  amount: bigint,
  now: number,
): SumState | undefined {
  if (amount < 0n || amount > remainingOf(state, limit, now)) return undefined
  const latest = clockOf(state, now)
  const length = Math.ceil((limit.window_s * 1_000) / BUCKETS)
  const ends = (Math.floor(latest / length) + 1) * length
  const from = latest - limit.window_s * 1_000
  const kept = state.buckets.filter((bucket) => bucket.ends > from && bucket.ends !== ends)
  const same = state.buckets.find((bucket) => bucket.ends === ends)
  return { latest, buckets: [...kept, { ends, amount: (same?.amount ?? 0n) + amount }] }
}

/** Returns the time from which on the amount can be added, if nothing else is added. Undefined if it never can. */
export function availableAt(
  state: SumState,
  limit: SumLimit,
  amount: bigint,
  now: number,
): number | undefined {
  if (amount > limit.max) return undefined
  const start = clockOf(state, now)
  const ends = state.buckets.map((bucket) => bucket.ends + limit.window_s * 1_000)
  return [start, ...ends.filter((time) => time > start).toSorted((one, other) => one - other)].find(
    (time) => amount <= remainingOf(state, limit, time),
  )
}

const clockOf = ({ latest }: SumState, now: number) => Math.max(latest, now)
