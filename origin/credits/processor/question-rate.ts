import { PAYMENT_QUESTIONS_PER_MINUTE } from '../../../shared/limits.ts'
import { TooManyPayments } from './too-many-payments.ts'

const MINUTE_MS = 60_000

/** Limits queries for the state of payments. A waiting client polls every 5 s. */
export class QuestionRate {
  readonly #now: () => number
  readonly #asked = new Map<string, { account: number; usageKeys: number }>()
  #minute = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * @param by the limit against which the query counts, in addition to the account's total
   * @throws {TooManyPayments} until the next minute begins
   */
  take(accountHash: string, by: 'owner' | 'usage key'): void {
    const now = this.#now()
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) this.#asked.clear()
    this.#minute = minute
    const asked = this.#asked.get(accountHash) ?? { account: 0, usageKeys: 0 }
    const most = PAYMENT_QUESTIONS_PER_MINUTE
    const isByKey = by === 'usage key'
    if (asked.account >= most.account || (isByKey && asked.usageKeys >= most.usageKeys))
      throw new TooManyPayments(
        `this account has requested the state of its payments ${asked.account} times within a minute`,
        (minute + 1) * MINUTE_MS - now,
      )
    asked.account += 1
    if (isByKey) asked.usageKeys += 1
    this.#asked.set(accountHash, asked)
  }
}
