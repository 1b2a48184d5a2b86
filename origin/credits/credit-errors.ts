import type { BudgetTerms } from './lease-order.ts'

export class PaymentRequiredError extends Error {
  override readonly name = 'PaymentRequiredError'
  readonly requiredCents: number
  readonly balanceCents: number
  /** From a refund or dispute of credit that was already spent. The next payment pays the debt first. */
  readonly debtCents: number
  constructor(requiredCents: number, balanceCents: number, debtCents = 0) {
    super(`${requiredCents} cents required, ${balanceCents} available`)
    this.requiredCents = requiredCents
    this.balanceCents = balanceCents
    this.debtCents = debtCents
  }
}

export class SpendCapReachedError extends Error {
  override readonly name = 'SpendCapReachedError'
  readonly requiredCents: number
  readonly leftCents: number
  readonly capCents: number
  readonly windowSeconds: number
  /** Time at which some of the spent amount leaves the window. Undefined if unknown. */
  readonly nextLeavesAt: Date | undefined
  constructor(requiredCents: number, leftCents: number, terms: BudgetTerms | undefined) {
    super(`${requiredCents} cents required, ${leftCents} left under the key's spending cap`)
    this.requiredCents = requiredCents
    this.leftCents = leftCents
    this.capCents = terms?.limit ?? 0
    this.windowSeconds = terms?.windowSeconds ?? 0
    this.nextLeavesAt = terms?.nextLeavesAt
  }
}

/** The allowance for failed executions is used up, or reserved for runs in flight. */
export class NoAllowanceLeftError extends Error {
  readonly elsewhereMs: number
  constructor(elsewhereMs: number) {
    super('the allowance for failed executions is used up or reserved')
    this.name = 'NoAllowanceLeftError'
    this.elsewhereMs = elsewhereMs
  }
}

export class AllowanceExhaustedError extends Error {
  override readonly name = 'AllowanceExhaustedError'
  /** `pair`: the allowance of a key and action; `account`: that of the whole account. */
  readonly of: 'pair' | 'account'
  /** Time until some of the used allowance leaves the window. */
  readonly retryAfterMs: number
  constructor(of: 'pair' | 'account', retryAfterMs: number) {
    super('the allowance for failed executions is exhausted')
    this.of = of
    this.retryAfterMs = retryAfterMs
  }
}

/** Runs of the same key and action have reserved the whole allowance. */
export class RunsInFlightError extends Error {
  override readonly name = 'RunsInFlightError'
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super('runs in flight have reserved the allowance for failed executions')
    this.retryAfterMs = retryAfterMs
  }
}

/** The ledger, or a process that leases the account's credit, does not respond. */
export class CreditsUnavailableError extends Error {
  override readonly name = 'CreditsUnavailableError'
}
