/** Converts amounts between whole tokens, as in the forms, and the smallest unit, as in policies. */

const AMOUNT = /^(\d{1,60})(?:\.(\d{1,77}))?$/

/**
 * Returns the amount in the smallest unit as a decimal text. Returns undefined if the text is not a decimal number, or
 * has more decimals than the token.
 */
export function parseAmount(text: string, decimals: number): string | undefined {
  const [, whole, fraction = ''] = AMOUNT.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return String(BigInt(whole + fraction.padEnd(decimals, '0')))
}

/** Returns the amount in whole tokens, with thousands separators: `1,250.5`. */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  const whole = BigInt(digits.slice(0, digits.length - decimals)).toLocaleString('en')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
