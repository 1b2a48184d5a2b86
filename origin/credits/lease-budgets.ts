import { Budget } from './budget.ts'
import { ACCOUNT_FAILURES, capBudgetName, failureBudgetName, capKeyHash } from './budget-names.ts'
import type { Charge, SubAllocationAnswer, SubAllocationOrder } from './lease-order.ts'
import {
  AccountSuspendedError,
  NoAllowanceLeftError,
  PaymentRequiredError,
  SpendCapReachedError,
} from './credit-errors.ts'

/**
 * Maximum number of sub-allocations per order. It bounds the size of queries, because an account may run any number of
 * actions.
 */
const SUB_ALLOCATIONS_MAX = 200

/** Value of `unit` for budgets in milliseconds: one second corresponds to one cent. */
const MILLISECONDS = 1_000

export type LeaseBudgetsOptions = {
  now: () => number
  isUsable: () => boolean
  onWork: () => void
}

export class LeaseBudgets {
  readonly credit: Budget
  /** Debt of the account as of the last answer from the database. */
  debtCents = 0
  /** As of the last answer from the database. */
  isSuspended = false
  readonly #options: LeaseBudgetsOptions
  readonly #subAllocations = new Map<string, Budget>()
  readonly #due = new Map<string, Budget>()

  constructor(options: LeaseBudgetsOptions) {
    this.#options = options
    this.credit = new Budget({
      ...options,
      unit: 1,
      refuse: (cents, { left }) =>
        this.isSuspended
          ? new AccountSuspendedError()
          : new PaymentRequiredError(cents, left, this.debtCents),
    })
  }

  cap(keyHash: string): Budget {
    return this.subAllocation(capBudgetName(keyHash))
  }

  /** In milliseconds: of a key and action, or of the whole account if `pair` is omitted. */
  failures(pair?: { keyHash: string; cid: string }): Budget {
    return this.subAllocation(pair ? failureBudgetName(pair.keyHash, pair.cid) : ACCOUNT_FAILURES)
  }

  /** @param name name of the budget in the database */
  subAllocation(name: string): Budget {
    return this.#subAllocations.get(name) ?? this.#make(name)
  }

  get hasWork(): boolean {
    return this.credit.hasWork || this.#due.size > 0
  }

  get isAwaitingReturns(): boolean {
    return (
      this.credit.isAwaitingReturns ||
      [...this.#due.values()].some(({ isAwaitingReturns }) => isAwaitingReturns)
    )
  }

  get isUnreserved(): boolean {
    return (
      this.credit.reserved === 0 &&
      [...this.#subAllocations.values()].every(({ reserved }) => reserved === 0)
    )
  }

  nextOrders(charges: readonly Charge[]): SubAllocationOrder[] {
    const ordered = new Map([...this.#due].slice(0, SUB_ALLOCATIONS_MAX))
    for (const name of ordered.keys()) this.#due.delete(name)
    // A charge and the deduction from its sub-allocation must be part of the same order.
    for (const { keyHash } of charges) {
      const name = capBudgetName(keyHash)
      const cap = this.#subAllocations.get(name)
      if (cap && !cap.isUnlimited) ordered.set(name, cap)
    }
    return [...ordered].map(([budget, part]) => {
      const used = capKeyHash(budget) === undefined ? part.used : 0
      return { budget, used, ...part.nextOrder() }
    })
  }

  recordSettled(charges: readonly Charge[], parts: readonly SubAllocationOrder[]): void {
    for (const { keyHash, cents } of charges) {
      this.credit.recordSettled(cents)
      this.#subAllocations.get(capBudgetName(keyHash))?.recordSettled(cents)
    }
    for (const { budget, used } of parts) this.#subAllocations.get(budget)?.recordSettled(used)
  }

  /** @param known false if sub-allocations that the order did not include may be lost */
  applyAnswers(answers: readonly SubAllocationAnswer[], known: boolean): void {
    const named = new Set<Budget>()
    for (const answer of answers) {
      const part = this.subAllocation(answer.budget)
      named.add(part)
      part.applyAnswer(answer)
    }
    if (known) return
    for (const part of this.#subAllocations.values()) if (!named.has(part)) part.markUnknown()
  }

  fail(error: unknown): void {
    this.credit.fail(error)
    for (const part of this.#subAllocations.values()) part.fail(error)
  }

  markLost(): void {
    this.credit.markLost()
    for (const part of this.#subAllocations.values()) part.markLost()
  }

  giveBack(): void {
    this.credit.giveBack()
    for (const part of this.#subAllocations.values()) if (part.isHeld) part.giveBack()
  }

  /**
   * Returns the amounts of sub-allocations that have not been used since the given time, and drops empty
   * sub-allocations.
   */
  sweep(usedSince: number): void {
    for (const [name, part] of this.#subAllocations) {
      if (part.usedAt >= usedSince || !part.isIdle) continue
      if (part.isHeld) part.giveBack()
      else this.#subAllocations.delete(name)
    }
  }

  #make(name: string): Budget {
    const isCap = capKeyHash(name) !== undefined
    const due = () => void this.#due.set(name, part)
    const part = new Budget({
      ...this.#options,
      onWork: () => {
        due()
        this.#options.onWork()
      },
      // A spending cap needs no separate order: its use is recorded as charges, which are part of the next order
      // anyway.
      onUse: isCap ? () => {} : due,
      unit: isCap ? 1 : MILLISECONDS,
      refuse: (amount, { left, elsewhere, terms }) =>
        isCap ? new SpendCapReachedError(amount, left, terms) : new NoAllowanceLeftError(elsewhere),
    })
    this.#subAllocations.set(name, part)
    return part
  }
}
