import type { Budget } from './budget.ts'
import { LeaseBudgets } from './lease-budgets.ts'
import type { LeaseAnswer, LeaseOrder } from './lease-order.ts'
import type { Charge } from './settling.ts'
import { UnsettledCharges } from './unsettled-charges.ts'

/** Whether other processes have given back what they were asked for is looked at this often. */
export const ASK_LOOK_MS = 50

/** What nothing was taken from for this long goes back. */
export const LEASE_IDLE_MS = 10_000

/**
 * What is spent and not in the ledger is lost to us when the process is killed: so much is settled at once, unless the
 * last settlement was just before.
 */
export const SETTLE_CENTS = 100
const SETTLE_APART_MS = 250

/** Idle parts are looked for this often: an account may have thousands. */
const SWEEP_MS = 1_000

type Look = { resolve: (answer: LeaseAnswer) => void; reject: (error: unknown) => void }

export type AccountLeaseOptions = {
  accountHash: string
  leaseId: string
  /** @throws {CreditsUnavailable} */
  carryOut: (order: LeaseOrder) => Promise<LeaseAnswer>
  /** How long an order's lease may be used, from before it was sent. */
  usableMs: number
  now: () => number
  sleep: (ms: number) => Promise<void>
}

/**
 * What this process may use of one account without asking anybody: credit, and the other budgets beside it. Orders go
 * to the database one at a time; one that was not answered is sent again as it was, before any other.
 */
export class AccountLease {
  readonly #options: AccountLeaseOptions
  readonly #charges = new UnsettledCharges()
  readonly #budgets: LeaseBudgets
  #usableUntil = Number.NEGATIVE_INFINITY
  #isStored = false
  #sequence = 0
  /** The order that has no answer yet, and who looks at its answer. */
  #order: LeaseOrder | undefined
  #looking: Look[] = []
  #looks: Look[] = []
  #working: Promise<void> | undefined
  #sweptAt: number
  #settledAt = Number.NEGATIVE_INFINITY
  /** When the oldest charge was made that the ledger is not known to have. */
  #chargedAt: number | undefined

  constructor(options: AccountLeaseOptions) {
    this.#options = options
    this.#sweptAt = options.now()
    this.#budgets = new LeaseBudgets({
      now: options.now,
      isUsable: () => options.now() < this.#usableUntil,
      onWork: () => void this.#work(),
    })
  }

  get id(): string {
    return this.#options.leaseId
  }

  get credit(): Budget {
    return this.#budgets.credit
  }

  /** What a key may spend under its cap. */
  cap(keyHash: string): Budget {
    return this.#budgets.cap(keyHash)
  }

  /** Milliseconds that failed executions may take: of an action by a key, or of the whole account. */
  failures(pair?: { keyHash: string; cid: string }): Budget {
    return this.#budgets.failures(pair)
  }

  /** What was spent, out of reservations that have ended, is settled before long. */
  charge(charge: Charge): void {
    this.#charges.add(charge)
    this.#chargedAt ??= this.#options.now()
    if (this.#charges.cents < SETTLE_CENTS) return
    if (this.#options.now() >= this.#settledAt + SETTLE_APART_MS) void this.#work()
  }

  /** How things stand once all that was spent here is settled. @throws {CreditsUnavailable} */
  async look(): Promise<{ answer: LeaseAnswer; reservedCents: number; spentCents: number }> {
    const answer = await new Promise<LeaseAnswer>((resolve, reject) => {
      this.#looks.push({ resolve, reject })
      void this.#work()
    })
    return { answer, reservedCents: this.credit.reserved, spentCents: this.credit.used }
  }

  /** Settles what is spent, and gives back what is idle; a failure is made up for by the next call. */
  flush(): Promise<void> {
    const idleSince = this.#options.now() - LEASE_IDLE_MS
    if (this.#isStored && this.credit.usedAt <= idleSince && this.#budgets.areFree)
      this.#budgets.giveBack()
    if (this.#sweptAt + SWEEP_MS <= this.#options.now()) {
      this.#sweptAt = this.#options.now()
      this.#budgets.sweep(idleSince)
    }
    return this.#work()
  }

  /** Settles what is spent and gives back what is free, of one budget or of all. */
  giveBack(which: 'all' | 'credit' | { part: string } = 'all'): Promise<void> {
    if (which === 'all') this.#budgets.giveBack()
    else if (which === 'credit') this.credit.giveBack()
    else this.#budgets.part(which.part).giveBack()
    return this.#work()
  }

  /** The database has this lease no more. */
  lost(): void {
    this.#isStored = false
    this.#usableUntil = Number.NEGATIVE_INFINITY
    this.#budgets.lost()
  }

  renewed(usableUntil: number): void {
    if (this.#isStored) this.#usableUntil = Math.max(this.#usableUntil, usableUntil)
  }

  /** What no order to the ledger has yet. */
  get unsettledCents(): number {
    return this.#charges.cents
  }

  /** Since when the ledger lacks a charge; undefined where it lacks none. */
  get unsettledSince(): number | undefined {
    return this.#chargedAt
  }

  /** True when the database has this lease, and no order about it is under way. */
  get isHeld(): boolean {
    return this.#isStored && this.#order === undefined
  }

  /** True while orders are under way: what was spent meanwhile goes with the next of them. */
  get isWorking(): boolean {
    return this.#working !== undefined
  }

  /** True when the ledger has all that was spent, and no order is open. */
  get isSettled(): boolean {
    return !this.isWorking && !this.#hasWork()
  }

  /** True when nothing would be lost by forgetting this lease. */
  get isEmpty(): boolean {
    return this.isSettled && !this.#isStored && this.#budgets.areFree
  }

  #hasWork(): boolean {
    const unsettled = this.#order !== undefined || this.#charges.areWaiting
    return unsettled || this.#budgets.hasWork || this.#looks.length > 0
  }

  /** @returns when there is nothing left to do, or the database did not answer */
  #work(): Promise<void> {
    if (!this.#hasWork()) return Promise.resolve()
    return (this.#working ??= this.#turns())
  }

  async #turns(): Promise<void> {
    // What is asked for in one go is one order.
    await Promise.resolve()
    try {
      while (this.#hasWork()) {
        await this.#turn()
        if (this.#budgets.isAsking) await this.#options.sleep(ASK_LOOK_MS)
      }
    } catch (error) {
      // What waited fails. What is used stays, and so does the order, which may have been carried out.
      this.#budgets.fail(error)
      for (const look of [...this.#looking.splice(0), ...this.#looks.splice(0)]) look.reject(error)
    } finally {
      this.#working = undefined
    }
  }

  async #turn(): Promise<void> {
    const { now, usableMs, carryOut } = this.#options
    const isRepeated = this.#order !== undefined
    const order = (this.#order ??= this.#nextOrder())
    const usableUntil = now() + usableMs
    const answer = await carryOut(order)
    this.#order = undefined
    this.#isStored = answer.isStored
    this.#usableUntil = usableUntil
    // Those that came while the order was under way are younger than it.
    this.#chargedAt = this.#charges.areWaiting ? now() : undefined
    this.#budgets.settled(order.charges, order.parts)
    for (const look of this.#looking.splice(0)) look.resolve(answer)
    this.#budgets.debtCents = answer.debtCents
    this.credit.answered(answer.credit)
    // An earlier answer, which was lost, may have said that the lease had expired, and all its parts with it.
    this.#budgets.answered(answer.parts, !answer.isNew && !isRepeated)
  }

  #nextOrder(): LeaseOrder {
    const charges = this.#charges.take()
    this.#settledAt = this.#options.now()
    // Who looks wants all that was spent before settled.
    if (!this.#charges.areWaiting) this.#looking = this.#looks.splice(0)
    return {
      leaseId: this.id,
      accountHash: this.#options.accountHash,
      sequence: ++this.#sequence,
      charges,
      credit: this.credit.order(),
      parts: this.#budgets.order(charges),
    }
  }
}
