import { Budget } from './budget.ts'
import { ALL_FAILURES, capOf, failuresOf, keyOfCap } from './budget-name.ts'
import type { PartAnswer, PartOrder } from './budget-order.ts'
import type { Charge } from './settling.ts'
import { NoAllowanceLeft, PaymentRequired, SpendCapReached } from './shortage.ts'

/** Bounds the size of queries: an account may run any number of actions. */
const PARTS_MAX = 200

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
  readonly #parts = new Map<string, Budget>()
  readonly #caps = new Map<string, Budget>()
  readonly #due = new Map<string, Budget>()

  constructor(options: LeaseBudgetsOptions) {
    this.#options = options
    this.credit = new Budget({
      ...options,
      unit: 1,
      refuse: (cents, { left }) => new PaymentRequired(cents, left, this.debtCents),
    })
  }

  cap(keyHash: string): Budget {
    const known = this.#caps.get(keyHash)
    if (known) return known
    const cap = this.#make(capOf(keyHash), 1, (cents, { left, terms }) => {
      return new SpendCapReached(cents, left, terms)
    })
    this.#caps.set(keyHash, cap)
    return cap
  }

  /** Without `pair`, the allowance of the whole account. */
  failures(pair?: { keyHash: string; cid: string }): Budget {
    const name = pair ? failuresOf(pair.keyHash, pair.cid) : ALL_FAILURES
    return (
      this.#parts.get(name) ??
      this.#make(name, MILLISECONDS, (_, { elsewhere }) => new NoAllowanceLeft(elsewhere))
    )
  }

  /** @param name name in the database, which requests of other processes use */
  part(name: string): Budget {
    const keyHash = keyOfCap(name)
    if (keyHash !== undefined) return this.cap(keyHash)
    const [, ofKey, cid] = name.split('/')
    return this.failures(
      ofKey !== undefined && cid !== undefined ? { keyHash: ofKey, cid } : undefined,
    )
  }

  get hasWork(): boolean {
    return this.credit.hasWork || this.#due.size > 0
  }

  get isAsking(): boolean {
    return this.credit.isAsking || [...this.#due.values()].some(({ isAsking }) => isAsking)
  }

  get areFree(): boolean {
    return (
      this.credit.reserved === 0 &&
      [...this.#parts.values()].every(({ reserved }) => reserved === 0)
    )
  }

  order(charges: readonly Charge[]): PartOrder[] {
    const ordered = new Map([...this.#due].slice(0, PARTS_MAX))
    for (const name of ordered.keys()) this.#due.delete(name)
    // A charge and the deduction from its sub-allocation must be part of the same order.
    for (const { keyHash } of charges) {
      const cap = this.#caps.get(keyHash)
      if (cap && !cap.isUnlimited) ordered.set(capOf(keyHash), cap)
    }
    return [...ordered].map(([budget, part]) => {
      const used = keyOfCap(budget) === undefined ? part.used : 0
      return { budget, used, ...part.order() }
    })
  }

  settled(charges: readonly Charge[], parts: readonly PartOrder[]): void {
    for (const { keyHash, cents } of charges) {
      this.credit.settled(cents)
      this.#caps.get(keyHash)?.settled(cents)
    }
    for (const { budget, used } of parts) this.#parts.get(budget)?.settled(used)
  }

  /** @param known false if sub-allocations that the order did not include may be lost */
  answered(answers: readonly PartAnswer[], known: boolean): void {
    const named = new Set<Budget>()
    for (const answer of answers) {
      const part = this.part(answer.budget)
      named.add(part)
      part.answered(answer)
    }
    if (known) return
    for (const part of this.#parts.values()) if (!named.has(part)) part.unknown()
  }

  fail(error: unknown): void {
    this.credit.fail(error)
    for (const part of this.#parts.values()) part.fail(error)
  }

  lost(): void {
    this.credit.lost()
    for (const part of this.#parts.values()) part.lost()
  }

  giveBack(): void {
    this.credit.giveBack()
    for (const part of this.#parts.values()) if (part.isHeld) part.giveBack()
  }

  /** Returns sub-allocations unused since the given time to the account, and drops empty ones. */
  sweep(usedSince: number): void {
    for (const [name, part] of this.#parts) {
      if (part.usedAt >= usedSince || !part.isAtRest) continue
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
    const onUse = keyOfCap(name) === undefined ? due : () => {}
    const part = new Budget({ ...this.#options, onWork, onUse, unit, refuse })
    this.#parts.set(name, part)
    return part
  }

  #forget(name: string): void {
    this.#parts.delete(name)
    const keyHash = keyOfCap(name)
    if (keyHash !== undefined) this.#caps.delete(keyHash)
  }
}

type Refuse = ConstructorParameters<typeof Budget>[0]['refuse']
