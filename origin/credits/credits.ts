import { formatUsd } from '../../shared/usd.ts'
import { WRITE_CENTS } from '../../shared/limits.ts'
import type { PaymentProblem } from '../../shared/wire/sealed-key-states.ts'
import type { ChangeAudit } from '../audit-log/append-entry.ts'
import type { Database } from '../db/open.ts'
import { databaseTimeout, type AbortableSleep, rejectAfter } from '../timeout.ts'
import type { OriginLog } from '../log.ts'
import { AccountLease, RETURN_POLL_MS } from './account-lease.ts'
import type { AllowanceReservation } from './allowance-reservation.ts'
import { capBudgetName, type Payer } from './budget-names.ts'
import { FailureAllowance, type RunAdmission } from './failure-allowance.ts'
import type { Charge, LeaseTerms } from './lease-order.ts'
import { requestedReturns, reapLeases, renewLeases } from './lease-rows.ts'
import { lockAccount } from './ledger.ts'
import { SerialQueue } from './serial-queue.ts'
import { Reservation } from './reservation.ts'
import { CreditsUnavailableError } from './credit-errors.ts'
import { paymentProblems } from './payment-problems.ts'
import { storedBalances } from './stored-balances.ts'
import { readUsage, type UsageFilter, type DailyUsage } from './usage.ts'
import { pruneSums } from './window-sums.ts'
import { capsOf, isReturnPending, type KeyCap, type SpendCap, storeCap } from './spend-caps.ts'

/** Time after which a lease expires unless it is renewed. The credit of an expired lease returns to the account. */
export const CREDIT_LEASE_MS = 30_000

/**
 * Time for which a process may spend from a lease after sending an order. It is a third shorter than the lease, because
 * clocks differ and answers take time.
 */
export const LEASE_USABLE_MS = 20_000

/** Must be smaller than the number of database connections. */
const FLUSH_CONCURRENCY = 4

const ORDER_TIMEOUT_MS = 5_000

/** Charges that are still unsettled when the process exits are lost. */
const CLOSE_TIMEOUT_MS = 5_000
const CLOSE_RETRY_MS = 100

export type CreditsOptions = {
  db: Database
  /** Database connections for account statements, which may take long to read. Defaults to `db`. */
  reports?: Database
  processId: string
  /** ID of the previous process, which has certainly exited (see `predecessor.ts`). */
  predecessor?: string | undefined
  /** Credit in cents that is granted when an account's credit is first requested. */
  starterCents: number
  /** Current time in Unix milliseconds, for the expiry of leases. All processes must agree on this time. */
  now: () => number
  monotonic: () => number
  sleep: AbortableSleep
  newId: () => string
  log: OriginLog
}

export type AccountBalance = {
  balance_cents: number
  reserved_cents: number
  debt_cents: number
  balance_display: string
}

/**
 * Spends the credit of accounts from leases. A reservation that a lease covers needs no database query. Together, the
 * leases of all processes never exceed the account's credit.
 */
export class Credits {
  readonly #options: CreditsOptions
  readonly #leases = new Map<string, AccountLease>()
  readonly #allowance: FailureAllowance
  readonly #caps = new SerialQueue(
    () => new CreditsUnavailableError('too many spending cap changes of this account are queued'),
  )
  #closed = false

  constructor(options: CreditsOptions) {
    this.#options = options
    const { now, monotonic, sleep } = options
    const budgets = (accountHash: string) => this.#lease(accountHash).budgets
    this.#allowance = new FailureAllowance({ budgets, now, monotonic, sleep })
  }

  /** Returns the predecessor's leased credit to the accounts. Must be called before the first reservation. */
  async recover(): Promise<void> {
    const { db, predecessor, now } = this.#options
    if (predecessor !== undefined) await reapLeases(db, { ofProcess: predecessor }, new Date(now()))
  }

  /**
   * The reservation also counts towards the key's spending cap.
   * @throws {PaymentRequiredError}
   * @throws {SpendCapReachedError}
   * @throws {CreditsUnavailableError} if the available credit is unknown
   */
  async reserve({ accountHash, keyHash }: Payer, cents: number): Promise<Reservation> {
    return Reservation.of(this.#lease(accountHash), keyHash, cents)
  }

  /**
   * Reserves the price of a write before it starts, and charges it when the write succeeds. A write that throws is free
   * of charge.
   * @throws {PaymentRequiredError | SpendCapReachedError | CreditsUnavailableError} before the write starts; otherwise
   * any error of the write
   */
  async chargeForWrite<Result>(
    by: Payer & Pick<Charge, 'subject'>,
    write: () => Promise<Result>,
  ): Promise<Result> {
    const reservation = await this.reserve(by, WRITE_CENTS)
    try {
      const result = await write()
      reservation.settle('write', WRITE_CENTS, by)
      return result
    } finally {
      reservation.release()
    }
  }

  /** @throws {AllowanceExhaustedError | RunsInFlightError | OverloadedError | CreditsUnavailableError} */
  admit(payer: Payer, run: RunAdmission): Promise<AllowanceReservation> {
    return this.#allowance.admit(payer, run)
  }

  /** @throws {CreditsUnavailableError} */
  async balance(accountHash: string): Promise<AccountBalance> {
    const lease = this.#lease(accountHash)
    const { balanceCents, reservedElsewhereCents, debtCents } = await lease.settleAndRead()
    const { credit } = lease.budgets
    const reserved = credit.reserved + reservedElsewhereCents
    const balance = Math.max(0, balanceCents - credit.used - reserved)
    return {
      balance_cents: balance,
      reserved_cents: reserved,
      debt_cents: debtCents,
      balance_display: formatUsd(balance, 'plain'),
    }
  }

  /**
   * Returns the stored balances of accounts in cents, without settling charges. An account that never used its credit has
   * its starter credit.
   * @throws {CreditsUnavailableError}
   */
  async storedBalances(accountHashes: readonly string[]): Promise<Map<string, number>> {
    const { db, starterCents } = this.#options
    const stored = await this.#fromLedger(storedBalances(db, accountHashes))
    return new Map(accountHashes.map((hash) => [hash, stored.get(hash) ?? starterCents]))
  }

  /**
   * Returns the accounts with a declined or disputed payment.
   * @throws {CreditsUnavailableError}
   */
  paymentProblems(accountHashes: readonly string[]): Promise<Map<string, PaymentProblem>> {
    const { db, now } = this.#options
    return this.#fromLedger(paymentProblems(db, accountHashes, now()))
  }

  /**
   * Charges of other processes are included once they are settled.
   * @throws {CreditsUnavailableError | DatabaseUnavailableError}
   */
  async usage(filter: UsageFilter): Promise<{ rows: DailyUsage[]; total: number }> {
    await this.#lease(filter.accountHash).settleAndRead()
    const { db, reports = db } = this.#options
    return readUsage(reports, filter)
  }

  /**
   * Sets or removes a key's spending cap. When the promise resolves, no process spends under the previous cap anymore,
   * except for amounts that were already reserved. Idempotent.
   * @param audit appends an entry to the account's audit log in the same transaction
   * @throws {CreditsUnavailableError} if a process may not have received the change yet, or if too many changes are
   * waiting
   */
  async setCap(payer: Payer, cap: SpendCap | null, audit?: ChangeAudit): Promise<void> {
    // Changes of an account run one at a time, because each waits for the account's lock and occupies a database
    // connection.
    await this.#caps.run(payer.accountHash, () => this.#setCap(payer, cap, audit))
  }

  async #setCap(payer: Payer, cap: SpendCap | null, audit: ChangeAudit | undefined): Promise<void> {
    const { db, now, sleep } = this.#options
    const requests = await this.#fromLedger(
      db.transaction(async (tx) => {
        await lockAccount(tx, payer.accountHash, this.#terms())
        return storeCap(tx, payer, cap, new Date(now()), audit)
      }),
    )
    for (;;) {
      await this.#leases.get(payer.accountHash)?.giveBack({ part: capBudgetName(payer.keyHash) })
      const at = new Date(now())
      if (!(await this.#fromLedger(isReturnPending(db, payer.keyHash, requests, at)))) return
      await sleep(RETURN_POLL_MS)
    }
  }

  /** @throws {CreditsUnavailableError} */
  async caps(accountHash: string): Promise<KeyCap[]> {
    const { db, now } = this.#options
    await this.#leases.get(accountHash)?.flush()
    return this.#fromLedger(capsOf(db, accountHash, new Date(now())))
  }

  /** Number of accounts for which this process has, or recently had, a lease. */
  get leases(): number {
    return this.#leases.size
  }

  get unsettledCents(): number {
    let cents = 0
    for (const lease of this.#leases.values()) cents += lease.unsettledCents
    return cents
  }

  /** Age in milliseconds of the oldest charge that may not be in the ledger yet; 0 if the ledger has all charges. */
  get unsettledMs(): number {
    const now = this.#options.monotonic()
    let since = now
    for (const { unsettledSince } of this.#leases.values())
      since = Math.min(since, unsettledSince ?? now)
    return now - since
  }

  async flush(): Promise<void> {
    const left = this.#leases.entries()
    const worker = async () => {
      for (const [accountHash, lease] of left) {
        // Skips leases with orders in flight: they settle their charges anyway, and may be waiting for other processes.
        if (!lease.isWorking) await lease.flush()
        if (lease.isEmpty) this.#leases.delete(accountHash)
      }
    }
    await Promise.all(Array.from({ length: FLUSH_CONCURRENCY }, worker))
  }

  /** @throws {CreditsUnavailableError} */
  async returnRequested(): Promise<void> {
    const { db, processId } = this.#options
    if (this.#leases.size === 0) return
    for (const { accountHash, budget } of await this.#fromLedger(requestedReturns(db, processId)))
      // Not awaited, because returning an amount may involve waiting for other processes, which must not delay the
      // other accounts.
      void this.#leases.get(accountHash)?.giveBack(budget === null ? 'credit' : { part: budget })
  }

  /** Never rejects. */
  giveBack(accountHash: string): void {
    void this.#leases.get(accountHash)?.giveBack()
  }

  /**
   * Renews the leases of this process, and returns the credit of expired leases to the accounts.
   * @throws {CreditsUnavailableError}
   */
  async renew(): Promise<void> {
    const { db, now, monotonic } = this.#options
    const usableUntil = monotonic() + LEASE_USABLE_MS
    const held = [...this.#leases.values()].filter((lease) => lease.isHeld)
    const ids = held.map(({ id }) => id)
    const expiresAt = new Date(now() + CREDIT_LEASE_MS)
    const renewed = new Set(await this.#fromLedger(renewLeases(db, ids, expiresAt)))
    for (const lease of held) {
      if (renewed.has(lease.id)) lease.markRenewed(usableUntil)
      else if (lease.isHeld) lease.markLost()
    }
    const at = new Date(now())
    await reapLeases(db, { expiredBefore: at }, at, (asked) => this.#fromLedger(asked))
  }

  /** @throws {Error} if the database fails */
  async prune(): Promise<void> {
    const { db, now } = this.#options
    await pruneSums(db, now())
  }

  /** Amounts that are still reserved return when their lease expires. */
  async close(): Promise<void> {
    this.#closed = true
    const { monotonic, sleep } = this.#options
    const until = monotonic() + CLOSE_TIMEOUT_MS
    const closed = [...this.#leases.values()].map(async (lease) => {
      await lease.giveBack()
      while (!lease.isSettled && monotonic() < until) {
        await sleep(CLOSE_RETRY_MS)
        await lease.giveBack()
      }
    })
    await Promise.all(closed)
  }

  #lease(accountHash: string): AccountLease {
    if (this.#closed) throw new CreditsUnavailableError('this process is shutting down')
    const known = this.#leases.get(accountHash)
    if (known) return known
    const { db, newId, monotonic: now, sleep, log } = this.#options
    const lease = new AccountLease({
      accountHash,
      leaseId: newId(),
      db,
      terms: () => this.#terms(),
      fromLedger: (operation) => this.#fromLedger(operation),
      usableMs: LEASE_USABLE_MS,
      now,
      sleep,
      log,
    })
    this.#leases.set(accountHash, lease)
    return lease
  }

  #terms(): LeaseTerms {
    const { processId, starterCents, now } = this.#options
    const at = now()
    return { processId, starterCents, at: new Date(at), expiresAt: new Date(at + CREDIT_LEASE_MS) }
  }

  /** Applies a timeout to a database operation. If the operation fails, its outcome is unknown. */
  #fromLedger<Answer>(operation: Promise<Answer>): Promise<Answer> {
    const { sleep } = this.#options
    return rejectAfter(ORDER_TIMEOUT_MS, operation, databaseTimeout, sleep).catch(
      (error: unknown) => {
        throw new CreditsUnavailableError('the ledger does not respond', { cause: error })
      },
    )
  }
}
