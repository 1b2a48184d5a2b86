import type { BudgetAnswer, BudgetOrder, BudgetTerms } from './budget-order.ts'
import { LeaseSize } from './lease-size.ts'
import { Waiting, type Waiter } from './waiting.ts'

export type BudgetOptions = {
  now: () => number
  /** Returns false if the lease must no longer be spent from. */
  isUsable: () => boolean
  /** Called when the budget has a request for the database. */
  onWork: () => void
  /** Called when some of the budget was used. */
  onUse?: () => void
  /** Amount that corresponds to one cent: 1 for cents, 1,000 for milliseconds. */
  unit: number
  /** Creates the error to throw if an amount is not available here or in any other process. */
  refuse: (amount: number, stand: Standing) => Error
}

/** State of a budget when an order was answered. */
export type Standing = {
  /** Amount that is free here or not in any lease. */
  left: number
  /** Amount held in the leases of other processes. After they have answered a request, all of it is reserved there. */
  elsewhere: number
  /** Undefined for credit. */
  terms: BudgetTerms | undefined
}

/** The part of one budget of an account that this process may spend without asking the database. */
export class Budget {
  readonly #options: BudgetOptions
  readonly #waiting = new Waiting()
  readonly #size: LeaseSize
  #held = 0
  /**
   * Amount that is not in any lease. Negative if the limit was lowered: this much of the held amount must not be
   * reserved again.
   */
  #available = 0
  #reserved = 0
  /** Used but not settled yet. */
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

  get isAsking(): boolean {
    return this.#waiting.isAsking
  }

  /** True if callers are waiting, or the free amount is to be returned. */
  get hasWork(): boolean {
    return this.#giveBack || !this.#waiting.isEmpty
  }

  /** Monotonic time of the last use. */
  get usedAt(): number {
    return this.#usedAt
  }

  /** True if nothing would be lost by returning the budget. */
  get isAtRest(): boolean {
    return this.#reserved === 0 && this.#used === 0 && !this.hasWork && !this.#givingBack
  }

  /** The limit minus the used amount, as far as this process knows. Some of it may be reserved. */
  get remaining(): number {
    if (!this.#terms) return Number.POSITIVE_INFINITY
    return this.#terms.limit - this.#terms.used - this.#used
  }

  get terms(): BudgetTerms | undefined {
    return this.#terms
  }

  /**
   * Reserves from the held amount.
   * @returns false if an order to the database is needed
   */
  take(amount: number): boolean {
    this.#usedAt = this.#options.now()
    // While the free amount is being returned or other callers wait, a new caller must wait too.
    if (!this.#waiting.isEmpty || this.#givingBack) return false
    return this.#take(amount)
  }

  /**
   * Reserves an amount, and requests the missing part from the database.
   * @param amount evaluated again when the amount becomes available
   * @returns the reserved amount
   * @throws the error created by `refuse`, or CreditsUnavailable
   */
  async reserve(amount: () => number): Promise<number> {
    const now = amount()
    return this.take(now) ? now : this.#wait(amount, true)
  }

  /** Makes sure that a later `take` finds this amount, without reserving it. Never rejects. */
  prepare(amount: number): void {
    this.#usedAt = this.#options.now()
    if (this.#waiting.isEmpty && this.#free() >= amount) return
    this.#wait(() => amount, false).catch(() => {})
  }

  /** Ends a reservation and records the part of it that was used. */
  end(reserved: number, used = 0): void {
    this.#usedAt = this.#options.now()
    this.#reserved -= reserved
    this.#used += used
    if (used > 0) this.#options.onUse?.()
  }

  /** Called when the database has counted the used amount. */
  settled(used: number): void {
    this.#used -= used
  }

  /** Requests that the free amount is returned with the next order. */
  giveBack(): void {
    this.#giveBack = true
    this.#options.onWork()
  }

  /** Called when the database no longer has the lease. */
  lost(): void {
    this.#held = 0
  }

  /** Called when the database may have lost the held amount. Returns it and stops spending from it. */
  unknown(): void {
    if (this.#held === 0) return
    this.#held = 0
    this.giveBack()
  }

  order(): BudgetOrder {
    const giveBack = (this.#givingBack = this.#giveBack)
    this.#giveBack = false
    const { need } = this.#waiting
    const extra = need > 0 && !giveBack ? this.#size.next(this.#options.now()) : 0
    return { reserved: this.#reserved, need, extra, giveBack, ask: this.#waiting.order() }
  }

  answered(answer: BudgetAnswer & { terms?: BudgetTerms }): void {
    this.#givingBack = false
    this.#held = answer.held
    this.#available = answer.available
    this.#terms = answer.terms
    const elsewhere = answer.others.reduce((sum, { held }) => sum + held, 0)
    this.#waiting.answered(answer, this.#options.now(), {
      serve: (waiter) => this.#serve(waiter),
      refuse: (amount) => {
        const left = Math.max(0, this.#free()) + Math.max(0, answer.available)
        return this.#options.refuse(amount, { left, elsewhere, terms: this.#terms })
      },
    })
    if (this.hasWork) this.#options.onWork()
  }

  /** Rejects all waiting callers because the order failed. */
  fail(error: unknown): void {
    this.#waiting.fail(error)
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
    const waited = this.#waiting.wait({ amount, reserves }, this.#options.now())
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
