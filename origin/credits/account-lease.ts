import type { Database } from '../db/open.ts'
import type { OriginLog } from '../log.ts'
import { executeOrder, type FromLedger } from './execute-order.ts'
import { LeaseBudgets } from './lease-budgets.ts'
import type { Charge, LeaseAnswer, LeaseOrder, LeaseTerms } from './lease-order.ts'

/** Interval at which this process polls for credit that other processes return. */
export const RETURN_POLL_MS = 50

/** Idle time after which leased amounts are returned to the account. */
export const LEASE_IDLE_MS = 10_000

/**
 * Amount of unsettled charges, in cents, that triggers an immediate settlement, at most once per `SETTLE_INTERVAL_MS`.
 * Unsettled charges are lost if the process is killed.
 */
const SETTLE_CENTS = 100
const SETTLE_INTERVAL_MS = 250

/**
 * Maximum number of charges per order. It bounds the size of SQL statements, because an account may run any number of
 * actions.
 */
const CHARGES_MAX = 500

/** Minimum interval between searches for idle sub-allocations, because an account may have thousands of them. */
const SWEEP_INTERVAL_MS = 1_000

type PendingRead = { resolve: (answer: LeaseAnswer) => void; reject: (error: unknown) => void }

export type AccountLeaseOptions = {
  accountHash: string
  leaseId: string
  db: Database
  terms: () => LeaseTerms
  fromLedger: FromLedger
  /** Usable lifetime of the lease in milliseconds, measured from the time at which the last answered order was sent. */
  usableMs: number
  now: () => number
  sleep: (ms: number) => Promise<void>
  log: OriginLog
}

/**
 * The part of an account's budgets that this process may spend without asking the database. Sends one order at a time
 * to the database. If an order is not answered, resends the order unchanged before sending another one.
 */
export class AccountLease {
  readonly budgets: LeaseBudgets
  readonly #options: AccountLeaseOptions
  readonly #charges = new UnsettledCharges()
  #usableUntil = Number.NEGATIVE_INFINITY
  #isStored = false
  #sequence = 0
  /** Order that the database has not answered yet. */
  #order: LeaseOrder | undefined
  /** Balance reads that wait for the answer to `#order`. */
  #sentReads: PendingRead[] = []
  #queuedReads: PendingRead[] = []
  #working: Promise<void> | undefined
  #sweptAt: number
  #settledAt = Number.NEGATIVE_INFINITY
  #oldestChargeAt: number | undefined

  constructor(options: AccountLeaseOptions) {
    this.#options = options
    this.#sweptAt = options.now()
    this.budgets = new LeaseBudgets({
      now: options.now,
      isUsable: () => options.now() < this.#usableUntil,
      onWork: () => void this.#work(),
    })
  }

  get id(): string {
    return this.#options.leaseId
  }

  /** Settled in the background. */
  charge(charge: Charge): void {
    this.#charges.add(charge)
    this.#oldestChargeAt ??= this.#options.now()
    if (this.#charges.cents < SETTLE_CENTS) return
    if (this.#options.now() >= this.#settledAt + SETTLE_INTERVAL_MS) void this.#work()
  }

  /**
   * Settles all charges that this process made to the account, then reads the account's state.
   * @throws {CreditsUnavailableError}
   */
  settleAndRead(): Promise<LeaseAnswer> {
    return new Promise((resolve, reject) => {
      this.#queuedReads.push({ resolve, reject })
      void this.#work()
    })
  }

  /** Settles charges and returns idle amounts to the account. Never rejects: after a failure, the next call retries. */
  flush(): Promise<void> {
    const idleSince = this.#options.now() - LEASE_IDLE_MS
    if (this.#isStored && this.budgets.credit.usedAt <= idleSince && this.budgets.isUnreserved)
      this.budgets.giveBack()
    if (this.#sweptAt + SWEEP_INTERVAL_MS <= this.#options.now()) {
      this.#sweptAt = this.#options.now()
      this.budgets.sweep(idleSince)
    }
    return this.#work()
  }

  giveBack(which: 'all' | 'credit' | { part: string } = 'all'): Promise<void> {
    if (which === 'all') this.budgets.giveBack()
    else if (which === 'credit') this.budgets.credit.giveBack()
    else this.budgets.subAllocation(which.part).giveBack()
    return this.#work()
  }

  markLost(): void {
    this.#isStored = false
    this.#usableUntil = Number.NEGATIVE_INFINITY
    this.budgets.markLost()
  }

  markRenewed(usableUntil: number): void {
    if (this.#isStored) this.#usableUntil = Math.max(this.#usableUntil, usableUntil)
  }

  /** Cents of charges that are not part of an order yet. */
  get unsettledCents(): number {
    return this.#charges.cents
  }

  /** Monotonic time of the oldest charge that may not be in the ledger yet; undefined if the ledger has all charges. */
  get unsettledSince(): number | undefined {
    return this.#oldestChargeAt
  }

  get isHeld(): boolean {
    return this.#isStored && this.#order === undefined
  }

  /** Charges that are made meanwhile are included in the next order. */
  get isWorking(): boolean {
    return this.#working !== undefined
  }

  get isSettled(): boolean {
    return !this.isWorking && !this.#hasWork()
  }

  /** True if the lease can be dropped without losing charges. */
  get isEmpty(): boolean {
    return this.isSettled && !this.#isStored && this.budgets.isUnreserved
  }

  #hasWork(): boolean {
    const unsettled = this.#order !== undefined || this.#charges.hasCharges
    return unsettled || this.budgets.hasWork || this.#queuedReads.length > 0
  }

  /** Never rejects. */
  #work(): Promise<void> {
    if (!this.#hasWork()) return Promise.resolve()
    return (this.#working ??= this.#sendOrders())
  }

  async #sendOrders(): Promise<void> {
    // Waits for a microtask, so that all requests made in the same tick are combined into one order.
    await Promise.resolve()
    try {
      while (this.#hasWork()) {
        await this.#sendOrder()
        if (this.budgets.isAwaitingReturns) await this.#options.sleep(RETURN_POLL_MS)
      }
    } catch (error) {
      // Keeps the used amounts and the unanswered order, because the database may have applied the order.
      this.budgets.fail(error)
      for (const read of [...this.#sentReads.splice(0), ...this.#queuedReads.splice(0)])
        read.reject(error)
    } finally {
      this.#working = undefined
    }
  }

  async #sendOrder(): Promise<void> {
    const { db, terms, fromLedger, usableMs, now, log } = this.#options
    const isRepeated = this.#order !== undefined
    const order = (this.#order ??= this.#nextOrder())
    const usableUntil = now() + usableMs
    const answer = await executeOrder(db, order, terms(), fromLedger)
    if (answer.unpaidCents > 0) log('credits.unpaid', { cents: answer.unpaidCents })
    this.#order = undefined
    this.#isStored = answer.isStored
    this.#usableUntil = usableUntil
    // The time of the oldest remaining charge is unknown. The current time is a good approximation, because most of the
    // remaining charges were made while the order was in flight.
    this.#oldestChargeAt = this.#charges.hasCharges ? now() : undefined
    this.budgets.recordSettled(order.charges, order.parts)
    for (const read of this.#sentReads.splice(0)) read.resolve(answer)
    this.budgets.debtCents = answer.debtCents
    this.budgets.isSuspended = answer.isSuspended
    this.budgets.credit.applyAnswer(answer.credit)
    // The lost first answer to a repeated order may have reported that the lease had expired. Therefore,
    // sub-allocations that the order does not name are treated as lost.
    this.budgets.applyAnswers(answer.parts, !answer.isNew && !isRepeated)
  }

  #nextOrder(): LeaseOrder {
    const charges = this.#charges.take()
    this.#settledAt = this.#options.now()
    // A balance must include all charges made before it was requested. Reads are therefore added to an order only if no
    // charges remain.
    if (!this.#charges.hasCharges) this.#sentReads = this.#queuedReads.splice(0)
    return {
      leaseId: this.id,
      accountHash: this.#options.accountHash,
      sequence: ++this.#sequence,
      charges,
      credit: this.budgets.credit.nextOrder(),
      parts: this.budgets.nextOrders(charges),
    }
  }
}

/** Charges of the same kind, key and subject are combined. */
class UnsettledCharges {
  readonly #sums = new Map<string, Charge>()
  #cents = 0

  get cents(): number {
    return this.#cents
  }

  get hasCharges(): boolean {
    return this.#sums.size > 0
  }

  add(charge: Charge): void {
    const key = `${charge.kind} ${charge.keyHash} ${charge.subject}`
    const sum = this.#sums.get(key)
    this.#cents += charge.cents
    this.#sums.set(key, {
      ...charge,
      cents: charge.cents + (sum?.cents ?? 0),
      quantity: charge.quantity + (sum?.quantity ?? 0),
    })
  }

  take(): Charge[] {
    const charges = [...this.#sums].slice(0, CHARGES_MAX)
    for (const [key] of charges) this.#sums.delete(key)
    const taken = charges.map(([, charge]) => charge)
    this.#cents -= taken.reduce((sum, { cents }) => sum + cents, 0)
    return taken
  }
}
