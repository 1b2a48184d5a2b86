import type { Principal } from '../accounts/account.ts'
import type { ChangeAudit } from '../audit-log/append-entry.ts'
import type { Payer } from '../credits/budget-names.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import type { Database } from '../db/open.ts'
import { KeyExpiredError, type KeyLimits, type LimitChanges } from './key-limits.ts'
import { deleteRemovedLimits, readLimits, storeLimits } from './stored-limits.ts'

/**
 * Age of the last read after which all limits are read again, instead of only the changed ones. Shorter than the time
 * for which removed limits remain in the database.
 */
const READ_ALL_AFTER_MS = 60 * 60 * 1000

export type UsageKeyLimitsOptions = {
  db: Database
  /** Returns Unix milliseconds. */
  now: () => number
  /**
   * Waits until every process has applied a version. If omitted, this is the only process.
   * @throws {ContractUnavailableError} if the other processes could not be notified
   */
  appliedEverywhere?: (version: number) => Promise<void>
}

/**
 * In-memory copy of the limits of all usage keys, so that a request needs no query. The copy has the same protocol as
 * the mirror of the accounts (`accounts/mirror/read-lease.ts`): a process may use its copy for two seconds after the
 * database has confirmed that it is current, and a change is reported as done once no process uses an earlier copy.
 */
export class UsageKeyLimits {
  readonly #options: UsageKeyLimitsOptions
  #limits = new Map<string, Map<string, KeyLimits>>()
  #version = -1
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  #guard: (() => void) | undefined

  constructor(options: UsageKeyLimitsOptions) {
    this.#options = options
  }

  /** Version that was applied last, for the lease. */
  get block(): number {
    return this.#version
  }

  /** @param guard throws if the copy must not be used */
  guard(guard: () => void): void {
    this.#guard = guard
  }

  /** Applies all changes up to a version. */
  async syncTo(version: number): Promise<void> {
    while (this.#version < version) {
      this.#reading ??= this.#read(version).finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
  }

  /**
   * Returns undefined for an account key, an admin wallet, and a usage key without limits.
   * @throws {ContractUnavailableError} if the limits are unknown
   */
  of({ account, keyHash, usageKey }: Principal): KeyLimits | undefined {
    return usageKey && this.ofKey({ accountHash: account.hash, keyHash })
  }

  /** @throws {ContractUnavailableError} if the limits are unknown */
  ofKey({ accountHash, keyHash }: Payer): KeyLimits | undefined {
    this.#guard?.()
    return this.#limits.get(accountHash)?.get(keyHash)
  }

  /** @throws {ContractUnavailableError} if the limits are unknown */
  isExpired(principal: Principal): boolean {
    return this.#expiredAt(principal) !== undefined
  }

  /** @throws {KeyExpiredError | ContractUnavailableError} */
  requireUnexpired(principal: Principal): void {
    const expiredAt = this.#expiredAt(principal)
    if (expiredAt !== undefined) throw new KeyExpiredError(expiredAt)
  }

  /**
   * Changes limits of a key. When the promise resolves, every process applies them. Idempotent.
   * @throws {DatabaseUnavailableError | ContractUnavailableError} if the limits may not have been changed, or a process
   * may not have received the change
   */
  async change(key: Payer, changes: LimitChanges, audit?: ChangeAudit): Promise<void> {
    const { db, now, appliedEverywhere } = this.#options
    const version = await fromDatabase(storeLimits(db, key, changes, new Date(now()), audit))
    await fromDatabase(this.syncTo(version))
    await appliedEverywhere?.(version)
  }

  /** Removes all limits of a key that has been removed, or was never registered. */
  async remove(key: Payer, audit?: ChangeAudit): Promise<void> {
    if (this.ofKey(key)) await this.change(key, NO_LIMITS, audit)
  }

  /** @throws {Error} if the database fails */
  async forgetOld(): Promise<void> {
    await deleteRemovedLimits(this.#options.db, this.#options.now())
  }

  #expiredAt(principal: Principal): number | undefined {
    const expiresAt = this.of(principal)?.expiresAt
    return expiresAt !== undefined && expiresAt <= this.#options.now() ? expiresAt : undefined
  }

  async #read(version: number): Promise<void> {
    const { db, now } = this.#options
    const readAt = now()
    const isAll = readAt - this.#readAt > READ_ALL_AFTER_MS
    const rows = await readLimits(db, isAll ? -1 : this.#version)
    if (isAll) this.#limits = new Map()
    for (const { accountHash, keyHash, limits } of rows) this.#apply(accountHash, keyHash, limits)
    this.#version = Math.max(version, this.#version, ...rows.map((row) => row.version))
    this.#readAt = readAt
  }

  #apply(accountHash: string, keyHash: string, limits: KeyLimits | undefined): void {
    const ofAccount = this.#limits.get(accountHash) ?? new Map<string, KeyLimits>()
    if (limits) this.#limits.set(accountHash, ofAccount.set(keyHash, limits))
    else if (ofAccount.delete(keyHash) && ofAccount.size === 0) this.#limits.delete(accountHash)
  }
}

const NO_LIMITS = {
  expiresAt: null,
  maxRequestsPerMinute: null,
  maxConcurrent: null,
  allowedOrigins: null,
  allowedIps: null,
  allowTriggers: null,
  canReadAccount: null,
} as const satisfies Required<LimitChanges>
