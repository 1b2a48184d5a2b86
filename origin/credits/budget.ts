import type { BudgetAnswer, BudgetOrder, BudgetTerms } from './budget-order.ts'
import { LeaseSize } from './lease-size.ts'
import { Waiting, type Waiter } from './waiting.ts'

export type BudgetOptions = {
  now: () => number
  /** False where the lease may be spent from no more. */
  isUsable: () => boolean
  /** The budget has something to say to the database. */
  onWork: () => void
  /** Something of it was used. */
  onUse?: () => void
  /** Milliseconds are taken along a thousand times as many as cents. */
  unit: number
  /** What is thrown where an amount is not there, nor anywhere else. */
  refuse: (amount: number, stand: Standing) => Error
}

/** How a budget stood when an order was answered. */
export type Standing = {
  /** Free here, and in no lease. */
  left: number
  /** In the leases of other processes: reserved there, once they were asked. */
  elsewhere: number
  /** Absent of credit. */
  terms: BudgetTerms | undefined
}

/** What this process may use of one budget of an account without asking anybody. */
export class Budget {
  readonly #options: BudgetOptions
  readonly #waiting = new Waiting()
  readonly #size: LeaseSize
  #held = 0
  /** In no lease; below 0 where the limit was lowered: so much of what is held may not be reserved again. */
  #available = 0
  #reserved = 0
  /** Used, and not settled yet. */
  #used = 0
  #giveBack = false
  /** An order that gives back is under way. */
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

  /** True where somebody waits, or what is free is to go back. */
  get hasWork(): boolean {
    return this.#giveBack || !this.#waiting.isEmpty
  }

  /** When it was last taken from. */
  get usedAt(): number {
    return this.#usedAt
  }

  /** True where nothing would be lost by giving it back. */
  get isAtRest(): boolean {
    return this.#reserved === 0 && this.#used === 0 && !this.hasWork && !this.#givingBack
  }

  /** The limit without what was used, as far as this process knows; nothing of it need be free. */
  get remaining(): number {
    if (!this.#terms) return Number.POSITIVE_INFINITY
    return this.#terms.limit - this.#terms.used - this.#used
  }

  get terms(): BudgetTerms | undefined {
    return this.#terms
  }

  /** Reserves out of what is held. @returns false where the database has to be asked */
  take(amount: number): boolean {
    this.#usedAt = this.#options.now()
    // While what is free is on its way back, or others wait for some, nobody takes of it.
    if (!this.#waiting.isEmpty || this.#givingBack) return false
    return this.#take(amount)
  }

  /**
   * Reserves, and asks for what is missing.
   * @param amount as it is when it can be had
   * @returns how much was reserved
   * @throws what the budget refuses with, or CreditsUnavailable
   */
  async reserve(amount: () => number): Promise<number> {
    const now = amount()
    return this.take(now) ? now : this.#wait(amount, true)
  }

  /** Sees to it that a later `take` finds this much, without reserving it. Never rejects. */
  prepare(amount: number): void {
    this.#usedAt = this.#options.now()
    if (this.#waiting.isEmpty && this.#free() >= amount) return
    this.#wait(() => amount, false).catch(() => {})
  }

  /** Ends a reservation, of which something may have been used. */
  end(reserved: number, used = 0): void {
    this.#usedAt = this.#options.now()
    this.#reserved -= reserved
    this.#used += used
    if (used > 0) this.#options.onUse?.()
  }

  /** The database has counted what was used. */
  settled(used: number): void {
    this.#used -= used
  }

  /** What is free goes back. */
  giveBack(): void {
    this.#giveBack = true
    this.#options.onWork()
  }

  /** The database has nothing of it for this process. */
  lost(): void {
    this.#held = 0
  }

  /** It is not known whether the database has what is held here: it goes back, and nothing is taken of it. */
  unknown(): void {
    if (this.#held === 0) return
    this.#held = 0
    this.giveBack()
  }

  /** What the next order says of it. */
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

  /** The order was not answered: whoever waits fails. */
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
