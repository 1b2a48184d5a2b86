import type { Database } from '../db/open.ts'
import type { OriginLog } from '../log.ts'
import { executeOrder, type FromLedger } from './execute-order.ts'
import { LeaseBudgets } from './lease-budgets.ts'
import type { Charge, LeaseAnswer, LeaseOrder, LeaseTerms } from './lease-order.ts'

/** Poll interval for credit that other processes return. */
export const RETURN_POLL_MS = 50

/** Leased amounts that are unused for this long are returned to the account. */
export const LEASE_IDLE_MS = 10_000

/**
 * Unsettled cents at which charges are settled at once, but at most every `SETTLE_INTERVAL_MS`. Unsettled charges are lost
 * if the process is killed.
 */
const SETTLE_CENTS = 100
const SETTLE_INTERVAL_MS = 250

/** Bounds the size of statements: an account may run any number of actions. */
const CHARGES_MAX = 500

/** An account may have thousands of sub-allocations to search. */
const SWEEP_INTERVAL_MS = 1_000

type PendingRead = { resolve: (answer: LeaseAnswer) => void; reject: (error: unknown) => void }

export type AccountLeaseOptions = {
  accountHash: string
  leaseId: string
  db: Database
  terms: () => LeaseTerms
  fromLedger: FromLedger
  /** Milliseconds for which the lease may be used, counted from the sending of an answered order. */
  usableMs: number
  now: () => number
  sleep: (ms: number) => Promise<void>
  log: OriginLog
}

/**
 * The part of an account's budgets that this process may spend without asking the database. Orders are sent one at a
 * time; an unanswered order is resent unchanged before any other order.
 */
export class AccountLease {
  readonly budgets: LeaseBudgets
  readonly #options: AccountLeaseOptions
  readonly #charges = new UnsettledCharges()
  #usableUntil = Number.NEGATIVE_INFINITY
  #isStored = false
  #sequence = 0
  /** Not answered yet. */
  #order: LeaseOrder | undefined
  /** Wait for the answer to `#order`. */
  #sentReads: PendingRead[] = []
  /** Wait for the next order. */
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
   * Settles all charges of this process first, so that the answer includes them.
   * @throws {CreditsUnavailableError}
   */
  settleAndRead(): Promise<LeaseAnswer> {
    return new Promise((resolve, reject) => {
      this.#queuedReads.push({ resolve, reject })
      void this.#work()
    })
  }

  /** Also returns idle amounts. Never rejects: after a failure, the next call tries again. */
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

  /** Excludes charges that are part of an order. */
  get unsettledCents(): number {
    return this.#charges.cents
  }

  /** Monotonic time of the oldest charge that may not be in the ledger yet; undefined if there is none. */
  get unsettledSince(): number | undefined {
    return this.#oldestChargeAt
  }

  /** True if the database has this lease and no order for the lease is in flight. */
  get isHeld(): boolean {
    return this.#isStored && this.#order === undefined
  }

  /** True while orders are in flight. Charges made in the meantime are included in the next order. */
  get isWorking(): boolean {
    return this.#working !== undefined
  }

  /** True if the ledger has all charges and no order is pending. */
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
    // Combines all requests made in the same tick into one order.
    await Promise.resolve()
    try {
      while (this.#hasWork()) {
        await this.#sendOrder()
        if (this.budgets.isAwaitingReturns) await this.#options.sleep(RETURN_POLL_MS)
      }
    } catch (error) {
      // Keeps the used amounts and the order, because the database may have applied the order.
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
    // Approximation: most of the remaining charges were made while the order was in flight.
    this.#oldestChargeAt = this.#charges.hasCharges ? now() : undefined
    this.budgets.recordSettled(order.charges, order.parts)
    for (const read of this.#sentReads.splice(0)) read.resolve(answer)
    this.budgets.debtCents = answer.debtCents
    this.budgets.credit.applyAnswer(answer.credit)
    // If the order was repeated, its lost first answer may have reported that the lease had expired. Sub-allocations
    // that the order does not name are therefore treated as lost.
    this.budgets.applyAnswers(answer.parts, !answer.isNew && !isRepeated)
  }

  #nextOrder(): LeaseOrder {
    const charges = this.#charges.take()
    this.#settledAt = this.#options.now()
    // A balance must include all charges made before it was requested.
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

/** Combines charges of the same kind, key and subject. */
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
