/** When the processor is asked about a payment by itself: events may be lost, and clients may never confirm. */

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A payment that nobody has paid for so long is not waited for any more. */
export const UNPAID_MS = 7 * DAY_MS

/** Refunds and disputes come up to half a year after a payment; the schemes allow 120 days, and then some. */
const RETURNS_MS = 180 * DAY_MS

/** Of a payment that is waited for: a chain's confirmations take minutes. */
const OPEN = { least: 30 * SECOND_MS, most: 6 * HOUR_MS }

/** Of one that is credited: only an event that was lost for days leaves something to find. */
const CREDITED = { least: HOUR_MS, most: 30 * DAY_MS }

/** The next look: after as long again as the payment is old, within bounds. */
function after(age: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, age))
}

/** When to look at a payment that is not paid yet; undefined when it has been waited for long enough. */
export function nextOpenLook(createdAt: Date, now: number): Date | undefined {
  const age = now - createdAt.getTime()
  return age >= UNPAID_MS ? undefined : new Date(now + after(age, OPEN))
}

/** When to look for what was taken back of a payment that is credited; null when nothing more is expected. */
export function nextCreditedLook(createdAt: Date, now: number): Date | null {
  const age = now - createdAt.getTime()
  return age >= RETURNS_MS ? null : new Date(now + after(age, CREDITED))
}
