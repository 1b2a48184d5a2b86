/** Names under which an account's budgets, and the sums behind them, are stored in the database. */

export type Payer = { accountHash: string; keyHash: string }

const CAP = 'cap/'

/** Account-wide, in milliseconds. */
export const ALL_FAILURES = 'failures'

/** In cents. */
export function capOf(keyHash: string): string {
  return `${CAP}${keyHash}`
}

/** @returns undefined if the budget is not a spending cap */
export function keyOfCap(budget: string): string | undefined {
  return budget.startsWith(CAP) ? budget.slice(CAP.length) : undefined
}

/** In milliseconds. */
export function failuresOf(keyHash: string, cid: string): string {
  return `${ALL_FAILURES}/${keyHash}/${cid}`
}

/** Series of the cents spent by a key. Only keys with a cap have it. */
export function spentBy(keyHash: string): string {
  return `spent/${keyHash}`
}

/** Series of the cents paid for executions, by an account and by one of its keys. */
export const ALL_PAID = 'paid'
export function paidBy(keyHash: string): string {
  return `${ALL_PAID}/${keyHash}`
}

/** Series of a failure allowance's use: `failed` or `failed/<key hash>/<CID>`. */
export function failedIn(budget: string): string {
  return `failed${budget.slice(ALL_FAILURES.length)}`
}

/** Series of the payments that raise a failure allowance: of the same key, or of the whole account. */
export function paidBeside(budget: string): string {
  const keyHash = budget.split('/')[1]
  return keyHash === undefined ? ALL_PAID : paidBy(keyHash)
}
