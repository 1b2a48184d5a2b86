import { Budget } from './budget.ts'
import { ACCOUNT_FAILURES, capBudgetName, failureBudgetName, capKeyHash } from './budget-names.ts'
import type { SubAllocationAnswer, SubAllocationOrder } from './budget-order.ts'
import type { Charge } from './settle-charges.ts'
import {
  NoAllowanceLeftError,
  PaymentRequiredError,
  SpendCapReachedError,
} from './credit-errors.ts'

/** Bounds the size of queries: an account may run any number of actions. */
const SUB_ALLOCATIONS_MAX = 200

/** `unit` of budgets in milliseconds: one second corresponds to one cent. */
const MILLISECONDS = 1_000

export type LeaseBudgetsOptions = {
  now: () => number
  isUsable: () => boolean
  onWork: () => void
}

export class LeaseBudgets {
  readonly credit: Budget
  /** As of the last answer of the database. */
  debtCents = 0
  readonly #options: LeaseBudgetsOptions
  readonly #subAllocations = new Map<string, Budget>()
  readonly #caps = new Map<string, Budget>()
  readonly #due = new Map<string, Budget>()

  constructor(options: LeaseBudgetsOptions) {
    this.#options = options
    this.credit = new Budget({
      ...options,
      unit: 1,
      refuse: (cents, { left }) => new PaymentRequiredError(cents, left, this.debtCents),
    })
  }

  cap(keyHash: string): Budget {
    const known = this.#caps.get(keyHash)
    if (known) return known
    const cap = this.#make(capBudgetName(keyHash), 1, (cents, { left, terms }) => {
      return new SpendCapReachedError(cents, left, terms)
    })
    this.#caps.set(keyHash, cap)
    return cap
  }

  /** Without `pair`, the allowance of the whole account. */
  failures(pair?: { keyHash: string; cid: string }): Budget {
    const name = pair ? failureBudgetName(pair.keyHash, pair.cid) : ACCOUNT_FAILURES
    return (
      this.#subAllocations.get(name) ??
      this.#make(name, MILLISECONDS, (_, { elsewhere }) => new NoAllowanceLeftError(elsewhere))
    )
  }

  /** @param name name in the database, which requests of other processes use */
  subAllocation(name: string): Budget {
    const keyHash = capKeyHash(name)
    if (keyHash !== undefined) return this.cap(keyHash)
    const [, ofKey, cid] = name.split('/')
    return this.failures(
      ofKey !== undefined && cid !== undefined ? { keyHash: ofKey, cid } : undefined,
    )
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
      const cap = this.#caps.get(keyHash)
      if (cap && !cap.isUnlimited) ordered.set(capBudgetName(keyHash), cap)
    }
    return [...ordered].map(([budget, part]) => {
      const used = capKeyHash(budget) === undefined ? part.used : 0
      return { budget, used, ...part.nextOrder() }
    })
  }

  recordSettled(charges: readonly Charge[], parts: readonly SubAllocationOrder[]): void {
    for (const { keyHash, cents } of charges) {
      this.credit.recordSettled(cents)
      this.#caps.get(keyHash)?.recordSettled(cents)
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

  /** Returns sub-allocations unused since the given time to the account, and drops empty ones. */
  sweep(usedSince: number): void {
    for (const [name, part] of this.#subAllocations) {
      if (part.usedAt >= usedSince || !part.isIdle) continue
      if (part.isHeld) part.giveBack()
      else this.#forget(name)
    }
  }

  #make(name: string, unit: number, refuse: Refuse): Budget {
    const due = () => void this.#due.set(name, part)
    const onWork = () => {
      due()
      this.#options.onWork()
    }
    // The use of a spending cap is recorded as charges, which are part of the next order anyway.
    const onUse = capKeyHash(name) === undefined ? due : () => {}
    const part = new Budget({ ...this.#options, onWork, onUse, unit, refuse })
    this.#subAllocations.set(name, part)
    return part
  }

  #forget(name: string): void {
    this.#subAllocations.delete(name)
    const keyHash = capKeyHash(name)
    if (keyHash !== undefined) this.#caps.delete(keyHash)
  }
}

type Refuse = ConstructorParameters<typeof Budget>[0]['refuse']
