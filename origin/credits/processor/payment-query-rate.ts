import { PAYMENT_QUERIES_PER_MINUTE } from '../../../shared/limits.ts'
import { AccountRate } from '../../admission/account-rate.ts'

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
  readonly #rate: AccountRate

  constructor(now: () => number) {
    this.#rate = new AccountRate(PAYMENT_QUERIES_PER_MINUTE, now)
  }

  /**
   * @param by role of the caller; queries with usage keys also count towards a separate limit
   * @throws {TooManyPaymentsError} if a limit is reached, until the next minute begins
   */
  take(accountHash: string, by: 'owner' | 'usage key'): void {
    const refused = this.#rate.take(accountHash, by)
    if (refused)
      throw new TooManyPaymentsError(
        `this account has requested the state of its payments ${refused.count} times within a minute`,
        refused.retryAfterMs,
      )
  }
}
