/** Names under which an account's budgets, and the sums behind them, are stored in the database. */

export type Payer = { accountHash: string; keyHash: string }

const CAP = 'cap/'

/** Account-wide, in milliseconds. */
export const ACCOUNT_FAILURES = 'failures'

/** In cents. */
export function capBudgetName(keyHash: string): string {
  return `${CAP}${keyHash}`
}

/** @returns undefined if the budget is not a spending cap */
export function capKeyHash(budget: string): string | undefined {
  return budget.startsWith(CAP) ? budget.slice(CAP.length) : undefined
}

/** In milliseconds. */
export function failureBudgetName(keyHash: string, cid: string): string {
  return `${ACCOUNT_FAILURES}/${keyHash}/${cid}`
}

/** Series of the cents spent by a key. Only keys with a cap have it. */
export function spentSeries(keyHash: string): string {
  return `spent/${keyHash}`
}

/** Series of the cents paid for executions, by an account and by one of its keys. */
export const ACCOUNT_PAID = 'paid'
export function paidSeries(keyHash: string): string {
  return `${ACCOUNT_PAID}/${keyHash}`
}

/** Series of a failure allowance's use: `failed` or `failed/<key hash>/<CID>`. */
export function failedSeries(budget: string): string {
  return `failed${budget.slice(ACCOUNT_FAILURES.length)}`
}

/** Series of the payments that raise a failure allowance: of the same key, or of the whole account. */
export function allowancePaidSeries(budget: string): string {
  const keyHash = budget.split('/')[1]
  return keyHash === undefined ? ACCOUNT_PAID : paidSeries(keyHash)
}
