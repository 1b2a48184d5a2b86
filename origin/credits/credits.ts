import type { Database } from '../db/open.ts'
import { inTime, type Sleep } from '../db/in-time.ts'
import type { Log } from '../log.ts'
import { AccountLease, ASK_LOOK_MS } from './account-lease.ts'
import type { AllowedRun } from './allowed-run.ts'
import { capOf, type Payer } from './budget-name.ts'
import { dollars } from './dollars.ts'
import { FailureAllowance, type RunToAllow } from './failure-allowance.ts'
import { carryOut, type LeaseAnswer, type LeaseOrder, type LeaseTerms } from './lease-order.ts'
import { askedLeases, reapLeases, renewLeases } from './lease-rows.ts'
import { lockAccount } from './ledger.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { isPlain, settlePlainly } from './plain-settlement.ts'
import { Reservation } from './reservation.ts'
import { CreditsUnavailable } from './shortage.ts'
import { usageOf, type UsageQuestion, type UsageRow } from './usage.ts'
import { pruneSums } from './window-sums.ts'
import { capsOf, isUnanswered, type KeyCap, type SpendCap, storeCap } from './spend-caps.ts'

/** Without renewal for this long, a lease expires and its credit returns to the account. */
export const LEASE_MS = 30_000

/** A third shorter than the lease, because clocks differ and the answer to an order takes time. */
export const LEASE_USABLE_MS = 20_000

/** Must be smaller than the number of database connections. */
const FLUSHES_AT_ONCE = 4

const ORDER_WAIT_MS = 5_000

/** Settlement at shutdown is retried for this long. Charges still unsettled when the process exits are lost. */
const CLOSE_WAIT_MS = 5_000
const CLOSE_PAUSE_MS = 100

export type CreditsOptions = {
  db: Database
  /** For account statements, which may take long to read. Defaults to `db`. */
  reports?: Database
  processId: string
  /** An earlier process that has certainly exited (see `predecessor.ts`). */
  predecessor?: string | undefined
  /** Granted when the account's credit is first requested. */
  starterCents: number
  /** Unix milliseconds. Used for the expiry of leases, on which all processes must agree. */
  now: () => number
  /** Monotonic milliseconds, for the time until which this process may use a lease. */
  monotonic: () => number
  sleep: Sleep
  newId: () => string
  log: Log
}

export type Balance = {
  balance_cents: number
  reserved_cents: number
  debt_cents: number
  balance_display: string
}

/**
 * Credit of accounts, spent from leases. A reservation that the lease covers needs no query. The leases of all
 * processes together never exceed the account's credit.
 */
export class Credits {
  readonly #options: CreditsOptions
  readonly #leases = new Map<string, AccountLease>()
  readonly #allowance: FailureAllowance
  readonly #caps = new OneAtATime(
    () => new CreditsUnavailable('too many spending cap changes of this account are queued'),
  )
  #closed = false

  constructor(options: CreditsOptions) {
    this.#options = options
    const { now, monotonic, sleep } = options
    const lease = (accountHash: string) => this.#lease(accountHash)
    this.#allowance = new FailureAllowance({ lease, now, monotonic, sleep })
  }

  /** Returns the credit leased by the predecessor to its accounts. Must be called before the first reservation. */
  async recover(): Promise<void> {
    const { db, predecessor, now } = this.#options
    if (predecessor !== undefined) await reapLeases(db, { ofProcess: predecessor }, new Date(now()))
  }

  /**
   * The cents also count towards the key's spending cap.
   * @throws {PaymentRequired}
   * @throws {SpendCapReached}
   * @throws {CreditsUnavailable} if the available credit is unknown
   */
  async reserve({ accountHash, keyHash }: Payer, cents: number): Promise<Reservation> {
    return Reservation.of(this.#lease(accountHash), keyHash, cents)
  }

  /** @throws {FailedExecutionAllowance | RunsInFlight | Overloaded | CreditsUnavailable} */
  admit(payer: Payer, run: RunToAllow): Promise<AllowedRun> {
    return this.#allowance.admit(payer, run)
  }

  /** @throws {CreditsUnavailable} */
  async balance(accountHash: string): Promise<Balance> {
    const { answer, reservedCents, spentCents } = await this.#lease(accountHash).look()
    const reserved = reservedCents + answer.reservedElsewhereCents
    const balance = Math.max(0, answer.balanceCents - spentCents - reserved)
    return {
      balance_cents: balance,
      reserved_cents: reserved,
      debt_cents: answer.debtCents,
      balance_display: dollars(balance),
    }
  }

  /**
   * Charges of other processes appear once they are settled.
   * @throws {CreditsUnavailable | DatabaseUnavailable}
   */
  async usage(question: UsageQuestion): Promise<{ rows: UsageRow[]; total: number }> {
    await this.#lease(question.accountHash).look()
    const { db, reports = db } = this.#options
    return usageOf(reports, question)
  }

  /**
   * After this returns, no process spends under the previous cap, except for amounts already reserved. Idempotent.
   * @throws {CreditsUnavailable} if a process may not have received the change yet, or if too many changes are waiting
   */
  async setCap(payer: Payer, cap: SpendCap | null): Promise<void> {
    // Each change waits for the account's lock and occupies a database connection.
    await this.#caps.take(payer.accountHash, () => this.#setCap(payer, cap))
  }

  async #setCap(payer: Payer, cap: SpendCap | null): Promise<void> {
    const { db, now, sleep } = this.#options
    const questions = await this.#known(
      db.transaction(async (tx) => {
        await lockAccount(tx, payer.accountHash, this.#terms())
        return storeCap(tx, payer, cap, new Date(now()))
      }),
    )
    for (;;) {
      await this.#leases.get(payer.accountHash)?.giveBack({ part: capOf(payer.keyHash) })
      const at = new Date(now())
      if (!(await this.#known(isUnanswered(db, payer.keyHash, questions, at)))) return
      await sleep(ASK_LOOK_MS)
    }
  }

  /** @throws {CreditsUnavailable} */
  async caps(accountHash: string): Promise<KeyCap[]> {
    const { db, now } = this.#options
    await this.#leases.get(accountHash)?.flush()
    return this.#known(capsOf(db, accountHash, new Date(now())))
  }

  /** Includes accounts that recently had a lease. */
  get leases(): number {
    return this.#leases.size
  }

  /** Excludes charges that are part of an order. */
  get unsettledCents(): number {
    let cents = 0
    for (const lease of this.#leases.values()) cents += lease.unsettledCents
    return cents
  }

  /** Age of the oldest charge that may not be in the ledger yet; 0 if the ledger has all charges. */
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
        // Leases with orders in flight settle their charges anyway, and may be waiting for other processes.
        if (!lease.isWorking) await lease.flush()
        if (lease.isEmpty) this.#leases.delete(accountHash)
      }
    }
    await Promise.all(Array.from({ length: FLUSHES_AT_ONCE }, worker))
  }

  /**
   * Starts to return the requested amounts.
   * @throws {CreditsUnavailable}
   */
  async answer(): Promise<void> {
    const { db, processId } = this.#options
    if (this.#leases.size === 0) return
    for (const { accountHash, budget } of await this.#known(askedLeases(db, processId)))
      // Not awaited: returning an amount may involve waiting for other processes, which must not delay the other
      // accounts.
      void this.#leases.get(accountHash)?.giveBack(budget === null ? 'credit' : { part: budget })
  }

  /** Needed after a refund or dispute. Never rejects. */
  giveBack(accountHash: string): void {
    void this.#leases.get(accountHash)?.giveBack()
  }

  /**
   * Also returns the credit of other processes' expired leases to the accounts.
   * @throws {CreditsUnavailable}
   */
  async renew(): Promise<void> {
    const { db, now, monotonic } = this.#options
    const usableUntil = monotonic() + LEASE_USABLE_MS
    const held = [...this.#leases.values()].filter((lease) => lease.isHeld)
    const ids = held.map(({ id }) => id)
    const expiresAt = new Date(now() + LEASE_MS)
    const renewed = new Set(await this.#known(renewLeases(db, ids, expiresAt)))
    for (const lease of held) {
      if (renewed.has(lease.id)) lease.renewed(usableUntil)
      else if (lease.isHeld) lease.lost()
    }
    const at = new Date(now())
    await reapLeases(db, { expiredBefore: at }, at, (asked) => this.#known(asked))
  }

  /** @throws {Error} if the database fails */
  async prune(): Promise<void> {
    const { db, now } = this.#options
    await pruneSums(db, now())
  }

  /** Amounts still reserved return when their lease expires. */
  async close(): Promise<void> {
    this.#closed = true
    const { monotonic, sleep } = this.#options
    const until = monotonic() + CLOSE_WAIT_MS
    const closed = [...this.#leases.values()].map(async (lease) => {
      await lease.giveBack()
      while (!lease.isSettled && monotonic() < until) {
        await sleep(CLOSE_PAUSE_MS)
        await lease.giveBack()
      }
    })
    await Promise.all(closed)
  }

  #lease(accountHash: string): AccountLease {
    if (this.#closed) throw new CreditsUnavailable('this process is shutting down')
    const known = this.#leases.get(accountHash)
    if (known) return known
    const lease = new AccountLease({
      accountHash,
      leaseId: this.#options.newId(),
      carryOut: (order) => this.#carryOut(order),
      usableMs: LEASE_USABLE_MS,
      now: this.#options.monotonic,
      sleep: this.#options.sleep,
    })
    this.#leases.set(accountHash, lease)
    return lease
  }

  async #carryOut(order: LeaseOrder): Promise<LeaseAnswer> {
    const { db, log } = this.#options
    const terms = this.#terms()
    const settled = isPlain(order) ? settlePlainly(db, order, terms) : undefined
    const answer =
      (settled && (await this.#known(settled))) ??
      (await this.#known(db.transaction((tx) => carryOut(tx, order, terms))))
    if (answer.unpaidCents > 0) log('credits.unpaid', { cents: answer.unpaidCents })
    return answer
  }

  #terms(): LeaseTerms {
    const { processId, starterCents, now } = this.#options
    const at = now()
    return { processId, starterCents, at: new Date(at), expiresAt: new Date(at + LEASE_MS) }
  }

  /** The outcome of a failed transaction is unknown. */
  #known<Answer>(asked: Promise<Answer>): Promise<Answer> {
    return inTime(ORDER_WAIT_MS, asked, this.#options.sleep).catch((error: unknown) => {
      throw new CreditsUnavailable('the ledger does not respond', { cause: error })
    })
  }
}
