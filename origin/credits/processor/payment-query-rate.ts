import { PAYMENT_QUERIES_PER_MINUTE } from '../../../shared/limits.ts'
import { TooManyPaymentsError } from './too-many-payments.ts'

const MINUTE_MS = 60_000

/** Limits queries for the state of payments. A waiting client polls every 5 s. */
export class PaymentQueryRate {
  readonly #now: () => number
  readonly #counts = new Map<string, { account: number; usageKeys: number }>()
  #minute = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * @param by the limit against which the query counts, in addition to the account's total
   * @throws {TooManyPaymentsError} until the next minute begins
   */
  take(accountHash: string, by: 'owner' | 'usage key'): void {
    const now = this.#now()
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) this.#counts.clear()
    this.#minute = minute
    const count = this.#counts.get(accountHash) ?? { account: 0, usageKeys: 0 }
    const most = PAYMENT_QUERIES_PER_MINUTE
    const isByKey = by === 'usage key'
    if (count.account >= most.account || (isByKey && count.usageKeys >= most.usageKeys))
      throw new TooManyPaymentsError(
        `this account has requested the state of its payments ${count.account} times within a minute`,
        (minute + 1) * MINUTE_MS - now,
      )
    count.account += 1
    if (isByKey) count.usageKeys += 1
    this.#counts.set(accountHash, count)
  }
}
