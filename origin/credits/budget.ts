import type { BudgetAnswer, BudgetOrder, BudgetTerms } from './budget-order.ts'
import { LeaseSize } from './lease-size.ts'
import { Waiting, type Waiter } from './waiting.ts'

export type BudgetOptions = {
  now: () => number
  /** Returns false if the lease may have expired, so that nothing more may be spent from it. */
  isUsable: () => boolean
  /** Called if an order must be sent to the database for this budget. */
  onWork: () => void
  /** Called when a part of the budget is used. */
  onUse?: () => void
  /** Amount that corresponds to one cent: 1 if the budget is in cents, 1,000 if it is in milliseconds. */
  unit: number
  /** Creates the error that is thrown if the amount is not available in any process. */
  refuse: (amount: number, stand: Standing) => Error
}

/** State of a budget at the time when an order was answered. */
export type Standing = {
  /** Amount that is free in this process or not in any lease. */
  left: number
  /**
   * Amount held in the leases of other processes. Once those processes have answered a request, the amount consists
   * only of their reservations.
   */
  elsewhere: number
  /** Limit and use of the budget. Undefined for credit. */
  terms: BudgetTerms | undefined
}

/** The part of an account's budget that this process may spend without asking the database. */
export class Budget {
  readonly #options: BudgetOptions
  readonly #waiting = new Waiting()
  readonly #size: LeaseSize
  #held = 0
  /**
   * Amount that is not in any lease. A negative value means that the limit was lowered, and that this much of the held
   * amount must not be reserved again.
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

  get isAsking(): boolean {
    return this.#waiting.isAsking
  }

  /** True if callers are waiting, or the free amount must be returned. */
  get hasWork(): boolean {
    return this.#giveBack || !this.#waiting.isEmpty
  }

  /** Monotonic time at which the budget was last used. */
  get usedAt(): number {
    return this.#usedAt
  }

  /** True if the budget can be dropped without losing charges or reservations. */
  get isAtRest(): boolean {
    return this.#reserved === 0 && this.#used === 0 && !this.hasWork && !this.#givingBack
  }

  /** The limit minus the used amount, as far as this process knows. A part of it may be reserved. */
  get remaining(): number {
    if (!this.#terms) return Number.POSITIVE_INFINITY
    return this.#terms.limit - this.#terms.used - this.#used
  }

  get terms(): BudgetTerms | undefined {
    return this.#terms
  }

  /**
   * Reserves an amount from the lease, without querying the database.
   * @returns false if an order to the database is needed
   */
  take(amount: number): boolean {
    this.#usedAt = this.#options.now()
    // While the free amount is being returned or other callers are waiting, a new caller must wait as well.
    if (!this.#waiting.isEmpty || this.#givingBack) return false
    return this.#take(amount)
  }

  /**
   * Reserves an amount. If the lease does not hold enough, requests the rest from the database.
   * @param amount evaluated again when credit becomes available
   * @returns the reserved amount
   * @throws the error created by `refuse`, or CreditsUnavailable
   */
  async reserve(amount: () => number): Promise<number> {
    const now = amount()
    return this.take(now) ? now : this.#wait(amount, true)
  }

  /** Obtains an amount in advance for a later `take`, without reserving it. Never rejects. */
  prepare(amount: number): void {
    this.#usedAt = this.#options.now()
    if (this.#waiting.isEmpty && this.#free() >= amount) return
    this.#wait(() => amount, false).catch(() => {})
  }

  /** Closes a reservation and records the part of it that was used. */
  end(reserved: number, used = 0): void {
    this.#usedAt = this.#options.now()
    this.#reserved -= reserved
    this.#used += used
    if (used > 0) this.#options.onUse?.()
  }

  /** Called when the database has settled the used amount. */
  settled(used: number): void {
    this.#used -= used
  }

  /** Returns the free amount to the account with the next order. */
  giveBack(): void {
    this.#giveBack = true
    this.#options.onWork()
  }

  /** Called when the database no longer has the lease, so that nothing more is spent from it. */
  lost(): void {
    this.#held = 0
  }

  /** Called if the database may no longer have the held amount. Returns the amount and stops spending from it. */
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

  /** Rejects all waiting callers after an order has failed. */
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
