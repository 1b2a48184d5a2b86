import { PAYMENT_MAX_CENTS, PAYMENT_MIN_CENTS } from '../../../../shared/limits.ts'
import { formatUsd } from '../../format/usd.ts'

/**
 * @param text such as `12` or `12.50`
 * @returns the amount in cents, or an error message
 */
export function parseAmount(text: string): number | string {
  const found = /^\$?\s*(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (!found) return 'Enter an amount in dollars, such as 25 or 12.50.'
  const cents = Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0'))
  if (cents < PAYMENT_MIN_CENTS) return `The minimum is ${formatUsd(PAYMENT_MIN_CENTS)}.`
  if (cents > PAYMENT_MAX_CENTS) return `The maximum is ${formatUsd(PAYMENT_MAX_CENTS)}.`
  return cents
}
