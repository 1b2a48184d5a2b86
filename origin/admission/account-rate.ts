import { MinuteCounts } from './minute-rate.ts'

export type AccountRateMax = { account: number; usageKeys: number }

/**
 * Limits requests per account and clock minute. All usage keys of an account share a lower limit, which reserves the
 * rest for the owner. Each process counts separately.
 */
export class AccountRate {
  readonly #max: AccountRateMax
  readonly #counts: MinuteCounts<AccountRateMax>

  /** @param now returns Unix milliseconds */
  constructor(max: AccountRateMax, now: () => number) {
    this.#max = max
    this.#counts = new MinuteCounts(now)
  }

  /** @returns undefined if the request is granted; otherwise the count so far, and the time until the next minute */
  take(
    accountHash: string,
    by: 'owner' | 'usage key',
  ): { count: number; retryAfterMs: number } | undefined {
    const { counts, leftMs } = this.#counts.current()
    const count = counts.get(accountHash) ?? { account: 0, usageKeys: 0 }
    const isByKey = by === 'usage key'
    if (count.account >= this.#max.account || (isByKey && count.usageKeys >= this.#max.usageKeys))
      return { count: count.account, retryAfterMs: leftMs }
    count.account += 1
    if (isByKey) count.usageKeys += 1
    counts.set(accountHash, count)
    return undefined
  }
}
