/** Names under which an account's budgets, and the sums behind them, are stored in the database. */

/** The paying account and the API key that was used, both as hashes. */
export type Payer = { accountHash: string; keyHash: string }

const CAP = 'cap/'

/** Name of the account-wide budget for failed executions, which is in milliseconds. */
export const ALL_FAILURES = 'failures'

/** Returns the name of the budget for a key's spending cap, which is in cents. */
export function capOf(keyHash: string): string {
  return `${CAP}${keyHash}`
}

/**
 * Extracts the key hash from the name of a spending cap budget.
 * @returns undefined if the budget is not a spending cap
 */
export function keyOfCap(budget: string): string | undefined {
  return budget.startsWith(CAP) ? budget.slice(CAP.length) : undefined
}

/** Returns the name of the budget for failed executions of an action by a key, which is in milliseconds. */
export function failuresOf(keyHash: string, cid: string): string {
  return `${ALL_FAILURES}/${keyHash}/${cid}`
}

/** Returns the name of the series that sums the cents spent by a key. Only keys with a cap have this series. */
export function spentBy(keyHash: string): string {
  return `spent/${keyHash}`
}

/** Names of the series that sum the cents paid for executions, by an account and by one of its keys. */
export const ALL_PAID = 'paid'
export function paidBy(keyHash: string): string {
  return `${ALL_PAID}/${keyHash}`
}

/** Returns the name of the series that sums the use of a failure allowance: `failed` or `failed/<key hash>/<CID>`. */
export function failedIn(budget: string): string {
  return `failed${budget.slice(ALL_FAILURES.length)}`
}

/**
 * Returns the name of the series of payments that raise a failure allowance: those of the same key, or of the whole
 * account.
 */
export function paidBeside(budget: string): string {
  const keyHash = budget.split('/')[1]
  return keyHash === undefined ? ALL_PAID : paidBy(keyHash)
}
