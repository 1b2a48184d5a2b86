/**
 * Rolling sums. Amounts are added up in time buckets, so that a sum needs little storage. A bucket counts in full until
 * its end has left the window, so a sum is sometimes slightly too high, but never too low.
 *
 * The clocks of machines differ. Amounts leave a sum by the earlier of two clocks, and are recorded at the later one,
 * so that an amount counts for the whole window if at least one of the clocks is right.
 */

/** State of one sum. Can be stored as JSON if amounts are converted to text. */
export type SumState = {
  /** Time of the last change by the earlier clock, which never decreases. Unix time in milliseconds. */
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
 * A window of a minute has 64 buckets, and about 70 later ones if a clock is a minute ahead. Only a sum whose window
 * was changed many times could have more.
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
 * Adds an amount to a sum. If the clock was set back, the time of the last change is used instead.
 * @param now time of the earlier clock
 * @param recordedAt time of the later clock
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

/** Merges the two earliest buckets if there are too many. The earlier amount then counts longer. */
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
