import type { BudgetTerms } from './lease-order.ts'

export class PaymentRequiredError extends Error {
  override readonly name = 'PaymentRequiredError'
  readonly requiredCents: number
  readonly balanceCents: number
  /**
   * Debt in cents, caused by refunds or disputes of credit that was already spent. The next payment pays the debt
   * first.
   */
  readonly debtCents: number
  constructor(requiredCents: number, balanceCents: number, debtCents = 0) {
    super(`${requiredCents} cents required, ${balanceCents} available`)
    this.requiredCents = requiredCents
    this.balanceCents = balanceCents
    this.debtCents = debtCents
  }
}

/** An operator suspended the account, so it cannot spend credit. */
export class AccountSuspendedError extends Error {
  override readonly name = 'AccountSuspendedError'
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

/** Thrown if the allowance for failed executions is used up, or reserved for runs in flight. */
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
  /** The exhausted allowance: `pair` for a key and action, `account` for the whole account. */
  readonly of: 'pair' | 'account'
  /** Milliseconds until some of the used allowance leaves the window. */
  readonly retryAfterMs: number
  constructor(of: 'pair' | 'account', retryAfterMs: number) {
    super('the allowance for failed executions is exhausted')
    this.of = of
    this.retryAfterMs = retryAfterMs
  }
}

export class RunsInFlightError extends Error {
  override readonly name = 'RunsInFlightError'
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super('runs in flight have reserved the allowance for failed executions')
    this.retryAfterMs = retryAfterMs
  }
}

/** Thrown if the ledger, or a process that leases the account's credit, does not respond. */
export class CreditsUnavailableError extends Error {
  override readonly name = 'CreditsUnavailableError'
}
