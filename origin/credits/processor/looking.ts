/**
 * Schedule for polling the processor about payments. Polling is needed because events may be lost, and clients may
 * never confirm a payment.
 */

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Time after which an unpaid payment is abandoned. */
export const UNPAID_MS = 7 * DAY_MS

/**
 * Time after a payment during which refunds and disputes are expected. The card schemes allow 120 days, with some
 * exceptions.
 */
const RETURNS_MS = 180 * DAY_MS

/** Minimum and maximum poll interval for an open payment. Confirmation on a blockchain takes minutes. */
const OPEN = { least: 30 * SECOND_MS, most: 6 * HOUR_MS }

/**
 * Minimum and maximum poll interval for a credited payment. A poll finds something new only if an event was lost for
 * days.
 */
const CREDITED = { least: HOUR_MS, most: 30 * DAY_MS }

/** Calculates the delay until the next poll of a payment. It equals the payment's age, limited to the given range. */
function after(age: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, age))
}

/** Returns the time of the next poll of an unpaid payment, or undefined if the payment is too old. */
export function nextOpenLook(createdAt: Date, now: number): Date | undefined {
  const age = now - createdAt.getTime()
  return age >= UNPAID_MS ? undefined : new Date(now + after(age, OPEN))
}

/**
 * Returns the time of the next poll for refunds and disputes of a credited payment, or null if no more are expected.
 */
export function nextCreditedLook(createdAt: Date, now: number): Date | null {
  const age = now - createdAt.getTime()
  return age >= RETURNS_MS ? null : new Date(now + after(age, CREDITED))
}
