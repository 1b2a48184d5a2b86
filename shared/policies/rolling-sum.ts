/**
 * Rolling sums. Amounts are added up in buckets of time, so that a sum needs little storage. A bucket counts in full
 * until its end has left the window: a sum can be too high for a moment, but is never too low.
 *
 * Several machines have clocks that differ. Amounts leave a sum by the earlier clock, and are recorded at the later one,
 * so that an amount counts for the whole window as long as one of the two clocks is right.
 */

/** What was added to one sum. Plain data, which can be stored as JSON if amounts are written as texts. */
export type SumState = {
  /** The latest time of the earlier clock at which the sum was changed. Unix time in milliseconds. */
  latest: number
  buckets: readonly SumBucket[]
}

/** Amounts that were added before `ends` (exclusive) and after the bucket before it. */
export type SumBucket = { ends: number; amount: bigint }

export type SumLimit = { max: bigint; window_s: number }

export const EMPTY_SUM: SumState = { latest: 0, buckets: [] }

/** With 64 buckets, an amount counts for at most 1.6 % longer than the window. */
const BUCKETS = 64

/**
 * Only a sum whose window was changed many times would have more. A window of a minute has 64 buckets, and about 70
 * later ones if a clock is ahead by a minute.
 */
const BUCKETS_MAX = 192

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
 * Adds an amount to a sum. Time never goes back: if the clock is set back, it is the latest time that the sum has seen.
 * @param now by the earlier clock
 * @param recordedAt by the later clock
 * @returns undefined if the sum would exceed its limit
 */
export function addToSum(
  state: SumState,
  limit: SumLimit,
  amount: bigint,
  now: number,
  recordedAt = now,
): SumState | undefined {
  if (amount < 0n || amount > remainingOf(state, limit, now)) return undefined
  const latest = clockOf(state, now)
  const length = Math.ceil((limit.window_s * 1_000) / BUCKETS)
  const ends = (Math.floor(Math.max(latest, recordedAt) / length) + 1) * length
  const from = latest - limit.window_s * 1_000
  const kept = state.buckets.filter((bucket) => bucket.ends > from && bucket.ends !== ends)
  const same = state.buckets.find((bucket) => bucket.ends === ends)
  return { latest, buckets: merged([...kept, { ends, amount: (same?.amount ?? 0n) + amount }]) }
}

/** Merges the two earliest of too many buckets. The earlier amount then counts longer. */
function merged(buckets: readonly SumBucket[]): readonly SumBucket[] {
  if (buckets.length <= BUCKETS_MAX) return buckets
  const [first, second, ...rest] = buckets.toSorted((one, other) => one.ends - other.ends)
  return [{ ends: second!.ends, amount: first!.amount + second!.amount }, ...rest]
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
