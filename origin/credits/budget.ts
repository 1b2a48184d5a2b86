import type { BudgetAnswer, BudgetOrder, BudgetTerms } from './lease-order.ts'
import { WaitQueue, type Waiter } from './wait-queue.ts'

type BudgetOptions = {
  now: () => number
  /** Returns false if the lease may have expired. Nothing may be spent from an expired lease. */
  isUsable: () => boolean
  onWork: () => void
  onUse?: () => void
  /** Amount that corresponds to one cent: 1 if the budget is in cents, 1,000 if it is in milliseconds. */
  unit: number
  /** Creates the error for an amount that is not available in any process. */
  refuse: (amount: number, status: BudgetStatus) => Error
}

/** Status of a budget as of the last answered order. */
type BudgetStatus = {
  /** Amount that is free in this process or not in any lease. */
  left: number
  /** Amount in the leases of other processes. After they have answered a request, only their reservations remain. */
  elsewhere: number
  /** Undefined for credit. */
  terms: BudgetTerms | undefined
}

export class Budget {
  readonly #options: BudgetOptions
  readonly #waitQueue = new WaitQueue()
  readonly #size: LeaseSize
  #held = 0
  /**
   * Amount that is not in any lease. If the limit was lowered, this is negative: that much of the held amount must not
   * be reserved again.
   */
  #available = 0
  #reserved = 0
  /** Amount that was used but is not settled yet. */
  #used = 0
  #giveBack = false
  /** True while an order that returns the free amount is in flight. */
  #givingBack = false
  #terms: BudgetTerms | undefined
  #usedAt: number

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#size = new LeaseSize(options.unit)
    this.#usedAt = options.now()
  }

  get reserved(): number {
    return this.#reserved
  }

  get used(): number {
    return this.#used
  }

  get isHeld(): boolean {
    return this.#held > 0
  }

  get isUnlimited(): boolean {
    return this.#held === Number.POSITIVE_INFINITY
  }

  get isAwaitingReturns(): boolean {
    return this.#waitQueue.isAwaitingReturns
  }

  get hasWork(): boolean {
    return this.#giveBack || !this.#waitQueue.isEmpty
  }

  /** In monotonic milliseconds. */
  get usedAt(): number {
    return this.#usedAt
  }

  /** True if the budget can be dropped without losing charges or reservations. */
  get isIdle(): boolean {
    return this.#reserved === 0 && this.#used === 0 && !this.hasWork && !this.#givingBack
  }

  /** Limit minus the use that this process knows of. Includes amounts that are reserved. */
  get remaining(): number {
    if (!this.#terms) return Number.POSITIVE_INFINITY
    return this.#terms.limit - this.#terms.used - this.#used
  }

  get terms(): BudgetTerms | undefined {
    return this.#terms
  }

  /**
   * Reserves an amount from the lease, without a database query.
   * @returns false if an order to the database is needed
   */
  take(amount: number): boolean {
    this.#usedAt = this.#options.now()
    // A new caller must not overtake waiting callers, or take an amount that is being returned.
    if (!this.#waitQueue.isEmpty || this.#givingBack) return false
    return this.#take(amount)
  }

  /**
   * @param amount evaluated again when credit becomes available
   * @throws the error created by `refuse`, or CreditsUnavailableError
   */
  async reserve(amount: () => number): Promise<number> {
    const now = amount()
    return this.take(now) ? now : this.#wait(amount, true)
  }

  /** Obtains an amount for a later `take`, without reserving it. Never rejects. */
  prepare(amount: number): void {
    this.#usedAt = this.#options.now()
    if (this.#waitQueue.isEmpty && this.#free() >= amount) return
    this.#wait(() => amount, false).catch(() => {})
  }

  release(reserved: number, used = 0): void {
    this.#usedAt = this.#options.now()
    this.#reserved -= reserved
    this.#used += used
    if (used > 0) this.#options.onUse?.()
  }

  recordSettled(used: number): void {
    this.#used -= used
  }

  /** Returns the free amount to the account with the next order. */
  giveBack(): void {
    this.#giveBack = true
    this.#options.onWork()
  }

  /** Called if the database no longer has the lease. Stops spending from the lease. */
  markLost(): void {
    this.#held = 0
  }

  /** Called if the database may no longer have the held amount. Stops spending from that amount, and returns it. */
  markUnknown(): void {
    if (this.#held === 0) return
    this.#held = 0
    this.giveBack()
  }

  nextOrder(): BudgetOrder {
    const giveBack = (this.#givingBack = this.#giveBack)
    this.#giveBack = false
    const { need } = this.#waitQueue
    const extra = need > 0 && !giveBack ? this.#size.next(this.#options.now()) : 0
    return { reserved: this.#reserved, need, extra, giveBack, ask: this.#waitQueue.beginOrder() }
  }

  applyAnswer(answer: BudgetAnswer & { terms?: BudgetTerms }): void {
    this.#givingBack = false
    this.#held = answer.held
    this.#available = answer.available
    this.#terms = answer.terms
    const elsewhere = answer.others.reduce((sum, { held }) => sum + held, 0)
    this.#waitQueue.applyAnswer(answer, this.#options.now(), {
      serve: (waiter) => this.#serve(waiter),
      refuse: (amount) => {
        const left = Math.max(0, this.#free()) + Math.max(0, answer.available)
        return this.#options.refuse(amount, { left, elsewhere, terms: this.#terms })
      },
    })
    if (this.hasWork) this.#options.onWork()
  }

  fail(error: unknown): void {
    this.#waitQueue.fail(error)
  }

  #free(): number {
    if (!this.#options.isUsable()) return 0
    return this.#held - this.#reserved - this.#used + Math.min(0, this.#available)
  }

  #take(amount: number): boolean {
    if (this.#free() < amount) return false
    this.#reserved += amount
    return true
  }

  #wait(amount: () => number, reserves: boolean): Promise<number> {
    const waited = this.#waitQueue.wait({ amount, reserves }, this.#options.now())
    this.#options.onWork()
    return waited
  }

  #serve({ amount, reserves, resolve }: Waiter): boolean {
    const now = amount()
    if (reserves ? !this.#take(now) : this.#free() < now) return false
    resolve(now)
    return true
  }
}

/** Minimum extra amount that is leased beyond the need. It covers 25 seconds of one run without another order. */
const EXTRA_CENTS = 25

/** Time within which another order doubles the extra amount. A later order halves it. */
const GROWTH_WINDOW_MS = 1_000
const EXTRA_MAX_CENTS = EXTRA_CENTS * 2 ** 9

/** Adapts a lease's extra amount to the rate of use, so that orders to the database stay rare. */
class LeaseSize {
  readonly #unit: number
  #extraCents = EXTRA_CENTS
  #requestedAt = Number.NEGATIVE_INFINITY

  /** @param unit amount that corresponds to one cent: 1 if the budget is in cents, 1,000 if it is in milliseconds */
  constructor(unit: number) {
    this.#unit = unit
  }

  next(now: number): number {
    const soon = now - this.#requestedAt < GROWTH_WINDOW_MS
    this.#requestedAt = now
    const extra = Math.floor(soon ? this.#extraCents * 2 : this.#extraCents / 2)
    this.#extraCents = Math.min(EXTRA_MAX_CENTS, Math.max(EXTRA_CENTS, extra))
    return this.#extraCents * this.#unit
  }
}
