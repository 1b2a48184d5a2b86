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

/** A lease that is not renewed for this long returns to its account. */
export const LEASE_MS = 30_000

/** It is spent from for a third less: clocks of processes differ, and the answer to an order takes time. */
export const LEASE_USABLE_MS = 20_000

/** Accounts that are settled side by side: fewer than the connections to the database. */
const FLUSHES_AT_ONCE = 4

/** A ledger that is silent for this long does not answer. */
const ORDER_WAIT_MS = 5_000

/** What is not settled when a process ends is lost to us: a connection that breaks just then is worth other tries. */
const CLOSE_WAIT_MS = 5_000
const CLOSE_PAUSE_MS = 100

export type CreditsOptions = {
  db: Database
  /** Where statements are read, which may take long; absent, `db`. */
  reports?: Database
  processId: string
  /** A process that is certainly dead (`predecessor.ts`). */
  predecessor?: string | undefined
  /** Granted to an account when its credit is first asked for. */
  starterCents: number
  /** What the clocks of all processes say: when leases expire. */
  now: () => number
  /** What a change of the machine's clock does not move: how long a lease of this process may be used. */
  monotonic: () => number
  sleep: Sleep
  /** An id that nothing else has. */
  newId: () => string
  log: Log
}

/** What an account has, in cents. */
export type Balance = {
  balance_cents: number
  reserved_cents: number
  debt_cents: number
  balance_display: string
}

/**
 * Credit of accounts, spent by this process out of leases: a reservation that the lease covers asks nobody, and
 * what the leases of all processes hold is never more than the account has.
 */
export class Credits {
  readonly #options: CreditsOptions
  readonly #leases = new Map<string, AccountLease>()
  readonly #allowance: FailureAllowance
  readonly #caps = new OneAtATime(
    () => new CreditsUnavailable('too many changes of caps of this account are waiting'),
  )
  #closed = false

  constructor(options: CreditsOptions) {
    this.#options = options
    const { now, monotonic, sleep } = options
    const lease = (accountHash: string) => this.#lease(accountHash)
    this.#allowance = new FailureAllowance({ lease, now, monotonic, sleep })
  }

  /** Returns what the process before this one had leased, if that is certainly dead. Before the first reservation. */
  async recover(): Promise<void> {
    const { db, predecessor, now } = this.#options
    if (predecessor !== undefined) await reapLeases(db, { ofProcess: predecessor }, new Date(now()))
  }

  /**
   * Cents of an account that nobody else can spend, and that count under the cap of the key.
   * @throws {PaymentRequired} when the account has not so much
   * @throws {SpendCapReached} when the key may not spend so much
   * @throws {CreditsUnavailable} when nobody knows
   */
  async reserve({ accountHash, keyHash }: Payer, cents: number): Promise<Reservation> {
    return Reservation.of(this.#lease(accountHash), keyHash, cents)
  }

  /**
   * Lets a run begin that may fail, and reserves what it may use of the allowance for failed executions.
   * @throws {FailedExecutionAllowance | RunsInFlight | Overloaded | CreditsUnavailable}
   */
  admit(payer: Payer, run: RunToAllow): Promise<AllowedRun> {
    return this.#allowance.admit(payer, run)
  }

  /** What can be spent, and what is reserved for what is under way. @throws {CreditsUnavailable} */
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
   * What was charged, all that this process has spent included; what others spent shows when they settle it.
   * @throws {CreditsUnavailable | DatabaseUnavailable}
   */
  async usage(question: UsageQuestion): Promise<{ rows: UsageRow[]; total: number }> {
    await this.#lease(question.accountHash).look()
    const { db, reports = db } = this.#options
    return usageOf(reports, question)
  }

  /**
   * Says what a usage key may spend in a rolling window, or takes its cap away. When this returns, no process spends by
   * what was said before; what was reserved then is spent. Called again, it does the same again.
   * @throws {CreditsUnavailable} when it is not known whether all processes know of it, or too many others wait
   */
  async setCap(payer: Payer, cap: SpendCap | null): Promise<void> {
    // Each waits for the account's lock, and holds a connection meanwhile.
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

  /** The caps of an account's keys, and what of them is spent. @throws {CreditsUnavailable} */
  async caps(accountHash: string): Promise<KeyCap[]> {
    const { db, now } = this.#options
    await this.#leases.get(accountHash)?.flush()
    return this.#known(capsOf(db, accountHash, new Date(now())))
  }

  /** Accounts that this process has a lease of, or had one a moment ago. */
  get leases(): number {
    return this.#leases.size
  }

  /** Charged, and in no order to the ledger yet. */
  get unsettledCents(): number {
    let cents = 0
    for (const lease of this.#leases.values()) cents += lease.unsettledCents
    return cents
  }

  /** Milliseconds since the oldest charge that the ledger is not known to have. */
  get unsettledMs(): number {
    const now = this.#options.monotonic()
    let since = now
    for (const { unsettledSince } of this.#leases.values())
      since = Math.min(since, unsettledSince ?? now)
    return now - since
  }

  /** Settles what was spent, gives idle leases back and forgets those that hold nothing. */
  async flush(): Promise<void> {
    const left = this.#leases.entries()
    const worker = async () => {
      for (const [accountHash, lease] of left) {
        // One that is at work settles what it has as well, and may wait for other processes meanwhile.
        if (!lease.isWorking) await lease.flush()
        if (lease.isEmpty) this.#leases.delete(accountHash)
      }
    }
    await Promise.all(Array.from({ length: FLUSHES_AT_ONCE }, worker))
  }

  /** Looks what other processes have asked for, and begins to give it back. @throws {CreditsUnavailable} */
  async answer(): Promise<void> {
    const { db, processId } = this.#options
    if (this.#leases.size === 0) return
    for (const { accountHash, budget } of await this.#known(askedLeases(db, processId)))
      // Not awaited: it may wait for other processes itself, and the next account's is asked for too.
      void this.#leases.get(accountHash)?.giveBack(budget === null ? 'credit' : { part: budget })
  }

  /** Gives back what is free of an account's credit here, since some of it was taken back. Never rejects. */
  giveBack(accountHash: string): void {
    void this.#leases.get(accountHash)?.giveBack()
  }

  /** Renews the leases of this process, and returns those that others let expire. @throws {CreditsUnavailable} */
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

  /** Deletes sums that have left their windows. @throws {Error} of the database */
  async prune(): Promise<void> {
    const { db, now } = this.#options
    await pruneSums(db, now())
  }

  /** Settles and gives back everything; what is still reserved returns when its lease expires. */
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
    if (this.#closed) throw new CreditsUnavailable('this process is ending')
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

  /** For any failure: then nobody knows whether a transaction was carried out. */
  #known<Answer>(asked: Promise<Answer>): Promise<Answer> {
    return inTime(ORDER_WAIT_MS, asked, this.#options.sleep).catch((error: unknown) => {
      throw new CreditsUnavailable('the ledger does not answer', { cause: error })
    })
  }
}
