/** Payments are polled because events may be lost and clients may never confirm a payment. */
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../shared/durations.ts'

export const UNPAID_MS = 7 * DAY_MS

/**
 * Time after a payment during which refunds and disputes are expected. The card schemes allow 120 days, with some
 * exceptions.
 */
const RETURNS_MS = 180 * DAY_MS

/** Poll intervals of an open payment. Confirmation on a blockchain takes minutes. */
const OPEN_INTERVALS = { least: 30 * SECOND_MS, most: 6 * HOUR_MS }

/** Poll intervals of a credited payment. A poll finds something new only if an event was lost for days. */
const CREDITED_INTERVALS = { least: HOUR_MS, most: 30 * DAY_MS }

function pollDelay(age: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, age))
}

/** @returns undefined if the payment is too old */
export function nextOpenPoll(createdAt: Date, now: number): Date | undefined {
  const age = now - createdAt.getTime()
  return age >= UNPAID_MS ? undefined : new Date(now + pollDelay(age, OPEN_INTERVALS))
}

/** @returns null if no more refunds and disputes are expected */
export function nextCreditedPoll(createdAt: Date, now: number): Date | null {
  const age = now - createdAt.getTime()
  return age >= RETURNS_MS ? null : new Date(now + pollDelay(age, CREDITED_INTERVALS))
}
