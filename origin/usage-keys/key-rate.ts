import { and, eq, lt, or, sql } from 'drizzle-orm'
import type { Principal } from '../accounts/account.ts'
import { MinuteCounts } from '../admission/minute-rate.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import type { Database } from '../db/open.ts'
import { usageKeyLimits } from '../db/schema.ts'
import { MINUTE_MS } from '../../shared/durations.ts'
import { KeyRateError } from './key-limits.ts'
import type { UsageKeyLimits } from './usage-key-limits.ts'

/**
 * Statements per key and minute after which a process has obtained all requests of the minute. A process obtains this
 * fraction of the limit at a time, so a high limit needs few statements.
 */
const STATEMENTS_PER_MINUTE = 100

type KeyRateOptions = {
  db: Database
  limits: Pick<UsageKeyLimits, 'of'>
  /** Returns Unix milliseconds. */
  now: () => number
}

/** Requests that this process has obtained for the current minute, and not used yet. */
type Obtained = { left: number; isExhausted: boolean; obtaining?: Promise<void> | undefined }

/**
 * Limits the requests with a usage key in a clock minute, across all processes. The database counts the requests that
 * it has granted, so that the limit is never exceeded. A process may leave up to a hundredth of the limit unused, which
 * other processes then do not get.
 */
export class KeyRate {
  readonly #options: KeyRateOptions
  readonly #obtained: MinuteCounts<Obtained>

  constructor(options: KeyRateOptions) {
    this.#options = options
    this.#obtained = new MinuteCounts(options.now)
  }

  /**
   * Counts a request. Returns undefined at once if the principal has no such limit.
   * @throws {KeyRateError | DatabaseUnavailableError}
   */
  take(principal: Principal): Promise<void> | undefined {
    const max = this.#options.limits.of(principal)?.maxRequestsPerMinute
    return max === undefined ? undefined : this.#take(principal, max)
  }

  async #take(principal: Principal, max: number): Promise<void> {
    const { counts, leftMs } = this.#obtained.current()
    // A changed limit is a new count, so that a raised limit applies at once.
    const name = `${principal.account.hash}/${principal.keyHash}/${max}`
    const obtained = counts.get(name) ?? { left: 0, isExhausted: false }
    counts.set(name, obtained)
    while (obtained.left === 0) {
      if (obtained.isExhausted) throw new KeyRateError(max, leftMs)
      obtained.obtaining ??= this.#obtain(principal, max, obtained).finally(() => {
        obtained.obtaining = undefined
      })
      await obtained.obtaining
    }
    obtained.left -= 1
  }

  async #obtain({ account, keyHash }: Principal, max: number, obtained: Obtained): Promise<void> {
    const { db, now } = this.#options
    const size = Math.ceil(max / STATEMENTS_PER_MINUTE)
    const minute = Math.floor(now() / MINUTE_MS)
    const { minute: counted, requests } = usageKeyLimits
    // If the clock of this process is behind, the request counts for the later minute of the other processes.
    const rows = await fromDatabase(
      db
        .update(usageKeyLimits)
        .set({
          minute: sql`greatest(${counted}, ${minute})`,
          requests: sql`case when ${counted} < ${minute} then ${size}::int else ${requests} + ${size}::int end`,
        })
        .where(
          and(
            eq(usageKeyLimits.accountHash, account.hash),
            eq(usageKeyLimits.keyHash, keyHash),
            or(lt(counted, minute), lt(requests, max)),
          ),
        )
        .returning({ requests }),
    )
    const excess = Math.max(0, (rows[0]?.requests ?? 0) - max)
    obtained.left = rows.length === 0 ? 0 : Math.max(0, size - excess)
    obtained.isExhausted = obtained.left === 0
  }
}
