import type { BudgetTerms } from './budget-order.ts'

export class PaymentRequiredError extends Error {
  readonly requiredCents: number
  readonly balanceCents: number
  /** From a refund or dispute of credit that was already spent. The next payment pays the debt first. */
  readonly debtCents: number
  constructor(requiredCents: number, balanceCents: number, debtCents = 0) {
    super(`${requiredCents} cents required, ${balanceCents} available`)
    this.name = 'PaymentRequiredError'
    this.requiredCents = requiredCents
    this.balanceCents = balanceCents
    this.debtCents = debtCents
  }
}

export class SpendCapReachedError extends Error {
  readonly requiredCents: number
  readonly leftCents: number
  readonly capCents: number
  readonly windowSeconds: number
  /** Time at which some of the spent amount leaves the window. Undefined if unknown. */
  readonly nextLeavesAt: Date | undefined
  constructor(requiredCents: number, leftCents: number, terms: BudgetTerms | undefined) {
    super(`${requiredCents} cents required, ${leftCents} left under the key's spending cap`)
    this.name = 'SpendCapReachedError'
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
  /** `pair`: the allowance of a key and action; `account`: that of the whole account. */
  readonly of: 'pair' | 'account'
  /** Time until some of the used allowance leaves the window. */
  readonly retryAfterMs: number
  constructor(of: 'pair' | 'account', retryAfterMs: number) {
    super('the allowance for failed executions is exhausted')
    this.name = 'AllowanceExhaustedError'
    this.of = of
    this.retryAfterMs = retryAfterMs
  }
}

/** Runs of the same key and action have reserved the whole allowance. */
export class RunsInFlightError extends Error {
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super('runs in flight have reserved the allowance for failed executions')
    this.name = 'RunsInFlightError'
    this.retryAfterMs = retryAfterMs
  }
}

/** The ledger, or a process that leases the account's credit, does not respond. */
export class CreditsUnavailableError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'CreditsUnavailableError'
  }
}
