import { PAYMENT_MAX_CENTS, PAYMENT_MIN_CENTS } from '../../../shared/limits.ts'
import { formatUsd } from '../../../shared/usd.ts'

/** Converts an amount such as `12` or `12.50` to cents. Returns undefined if the text is not an amount. */
export function parseCents(dollars: string): number | undefined {
  if (!/^\d{1,7}(\.\d{1,2})?$/.test(dollars)) return undefined
  return Math.round(Number(dollars) * 100)
}

/** Returns the amount of a payment in cents, or an error message. Also accepts a dollar sign and surrounding spaces. */
export function parseAmount(text: string): number | string {
  const cents = parseCents(text.trim().replace(/^\$?\s*/, ''))
  if (cents === undefined) return 'Enter an amount in dollars, such as 25 or 12.50.'
  if (cents < PAYMENT_MIN_CENTS) return `The minimum is ${formatUsd(PAYMENT_MIN_CENTS)}.`
  if (cents > PAYMENT_MAX_CENTS) return `The maximum is ${formatUsd(PAYMENT_MAX_CENTS)}.`
  return cents
}
