import { PAYMENT_QUERIES_PER_MINUTE } from '../../../shared/limits.ts'
import { MinuteCounts } from '../../admission/minute-rate.ts'

export class TooManyPaymentsError extends Error {
  override readonly name = 'TooManyPaymentsError'
  readonly retryAfterMs: number
  constructor(reason: string, retryAfterMs: number) {
    super(reason)
    this.retryAfterMs = retryAfterMs
  }
}

/** Limits queries for the state of payments. A waiting client polls every 5 s. */
export class PaymentQueryRate {
  readonly #counts: MinuteCounts<{ account: number; usageKeys: number }>

  constructor(now: () => number) {
    this.#counts = new MinuteCounts(now)
  }

  /**
   * @param by role of the caller; queries with usage keys also count towards a separate limit
   * @throws {TooManyPaymentsError} if a limit is reached, until the next minute begins
   */
  take(accountHash: string, by: 'owner' | 'usage key'): void {
    const { counts, leftMs } = this.#counts.current()
    const count = counts.get(accountHash) ?? { account: 0, usageKeys: 0 }
    const most = PAYMENT_QUERIES_PER_MINUTE
    const isByKey = by === 'usage key'
    if (count.account >= most.account || (isByKey && count.usageKeys >= most.usageKeys))
      throw new TooManyPaymentsError(
        `this account has requested the state of its payments ${count.account} times within a minute`,
        leftMs,
      )
    count.account += 1
    if (isByKey) count.usageKeys += 1
    counts.set(accountHash, count)
  }
}
