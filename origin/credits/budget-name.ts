/** How the budgets of an account and the sums behind them are named in the database. */

/** Who pays: an account, and the key that was used, by their hashes. */
export type Payer = { accountHash: string; keyHash: string }

const CAP = 'cap/'

/** Milliseconds that failed executions of the whole account may take. */
export const ALL_FAILURES = 'failures'

/** Cents that a key may spend under its cap. */
export function capOf(keyHash: string): string {
  return `${CAP}${keyHash}`
}

/** @returns the key whose cap the budget is; `undefined` for another one */
export function keyOfCap(budget: string): string | undefined {
  return budget.startsWith(CAP) ? budget.slice(CAP.length) : undefined
}

/** Milliseconds that failed executions of an action by a key may take. */
export function failuresOf(keyHash: string, cid: string): string {
  return `${ALL_FAILURES}/${keyHash}/${cid}`
}

/** Series of sums: cents that a key has spent, for keys with a cap. */
export function spentBy(keyHash: string): string {
  return `spent/${keyHash}`
}

/** Series of sums: cents that were paid for executions, by an account and by one of its keys. */
export const ALL_PAID = 'paid'
export function paidBy(keyHash: string): string {
  return `${ALL_PAID}/${keyHash}`
}

/** The series that sums what was used of a budget for failures: `failed`, `failed/<key hash>/<CID>`. */
export function failedIn(budget: string): string {
  return `failed${budget.slice(ALL_FAILURES.length)}`
}

/** The series that says what was paid beside a budget for failures: by the same key, or by the whole account. */
export function paidBeside(budget: string): string {
  const keyHash = budget.split('/')[1]
  return keyHash === undefined ? ALL_PAID : paidBy(keyHash)
}
