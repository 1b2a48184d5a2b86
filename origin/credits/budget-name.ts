/** Database names of an account's budgets and of the sums behind them. */

/** The account that pays and the key that was used, both as hashes. */
export type Payer = { accountHash: string; keyHash: string }

const CAP = 'cap/'

/** Budget name of the whole account's allowance for failed executions, in milliseconds. */
export const ALL_FAILURES = 'failures'

/** Budget name of a key's spending cap, in cents. */
export function capOf(keyHash: string): string {
  return `${CAP}${keyHash}`
}

/** @returns the key if the budget is its spending cap, otherwise undefined */
export function keyOfCap(budget: string): string | undefined {
  return budget.startsWith(CAP) ? budget.slice(CAP.length) : undefined
}

/** Budget name of the allowance for failed executions of an action by a key, in milliseconds. */
export function failuresOf(keyHash: string, cid: string): string {
  return `${ALL_FAILURES}/${keyHash}/${cid}`
}

/** Series that sums the cents spent by a key. It exists for keys with a cap. */
export function spentBy(keyHash: string): string {
  return `spent/${keyHash}`
}

/** Series that sum the cents paid for executions, by an account and by one of its keys. */
export const ALL_PAID = 'paid'
export function paidBy(keyHash: string): string {
  return `${ALL_PAID}/${keyHash}`
}

/** Series that sums the use of a failure allowance: `failed`, `failed/<key hash>/<CID>`. */
export function failedIn(budget: string): string {
  return `failed${budget.slice(ALL_FAILURES.length)}`
}

/** Series of the payments that raise a failure allowance: by the same key, or by the whole account. */
export function paidBeside(budget: string): string {
  const keyHash = budget.split('/')[1]
  return keyHash === undefined ? ALL_PAID : paidBy(keyHash)
}
