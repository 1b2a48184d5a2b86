export type Payer = { accountHash: string; keyHash: string }

const CAP = 'cap/'

/** The budget is in milliseconds. */
export const ACCOUNT_FAILURES = 'failures'

/** The budget is in cents. */
export function capBudgetName(keyHash: string): string {
  return `${CAP}${keyHash}`
}

/** @returns undefined if the budget is not a spending cap */
export function capKeyHash(budget: string): string | undefined {
  return budget.startsWith(CAP) ? budget.slice(CAP.length) : undefined
}

/** The budget is in milliseconds. */
export function failureBudgetName(keyHash: string, cid: string): string {
  return `${ACCOUNT_FAILURES}/${keyHash}/${cid}`
}

/** In cents. Only keys with a spending cap have this series. */
export function spentSeries(keyHash: string): string {
  return `spent/${keyHash}`
}

export const ACCOUNT_PAID = 'paid'
export function paidSeries(keyHash: string): string {
  return `${ACCOUNT_PAID}/${keyHash}`
}

/** Returns the name of the series of milliseconds used: `failed` or `failed/<key hash>/<CID>`. */
export function failedSeries(budget: string): string {
  return `failed${budget.slice(ACCOUNT_FAILURES.length)}`
}

/** Series of the payments that raise a failure allowance, either of the same key or of the whole account. */
export function allowancePaidSeries(budget: string): string {
  const keyHash = budget.split('/')[1]
  return keyHash === undefined ? ACCOUNT_PAID : paidSeries(keyHash)
}
