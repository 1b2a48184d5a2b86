/** Schedule for polling the processor about payments, because events may be lost and clients may never confirm. */

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A payment that is still unpaid after this time is abandoned. */
export const UNPAID_MS = 7 * DAY_MS

/**
 * Refunds and disputes arrive up to half a year after a payment. The card schemes allow 120 days and some exceptions.
 */
const RETURNS_MS = 180 * DAY_MS

/** Poll intervals for an open payment. Confirmations on a blockchain take minutes. */
const OPEN = { least: 30 * SECOND_MS, most: 6 * HOUR_MS }

/** Poll intervals for a credited payment. There is something to find only if an event was lost for days. */
const CREDITED = { least: HOUR_MS, most: 30 * DAY_MS }

/** Delay until the next poll: as long as the payment is old, within bounds. */
function after(age: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, age))
}

/** Time of the next poll for an unpaid payment; undefined if it is too old. */
export function nextOpenLook(createdAt: Date, now: number): Date | undefined {
  const age = now - createdAt.getTime()
  return age >= UNPAID_MS ? undefined : new Date(now + after(age, OPEN))
}

/** Time of the next poll for refunds and disputes of a credited payment; null if no more are expected. */
export function nextCreditedLook(createdAt: Date, now: number): Date | null {
  const age = now - createdAt.getTime()
  return age >= RETURNS_MS ? null : new Date(now + after(age, CREDITED))
}
