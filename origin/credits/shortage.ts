import type { BudgetTerms } from './budget-order.ts'

/** Thrown if the account exists, but its spendable credit does not cover the requested amount. */
export class PaymentRequired extends Error {
  readonly requiredCents: number
  readonly balanceCents: number
  /** Debt in cents, from a refund or dispute of credit that was already spent. The next payment pays the debt first. */
  readonly debtCents: number
  constructor(requiredCents: number, balanceCents: number, debtCents = 0) {
    super(`${requiredCents} cents required, ${balanceCents} available`)
    this.name = 'PaymentRequired'
    this.requiredCents = requiredCents
    this.balanceCents = balanceCents
    this.debtCents = debtCents
  }
}

/** Thrown if the account has credit, but the key's spending cap does not allow the requested amount. */
export class SpendCapReached extends Error {
  readonly requiredCents: number
  readonly leftCents: number
  readonly capCents: number
  readonly windowSeconds: number
  /** Time at which some of the spent amount leaves the window. Undefined if it is unknown. */
  readonly nextLeavesAt: Date | undefined
  constructor(requiredCents: number, leftCents: number, terms: BudgetTerms | undefined) {
    super(`${requiredCents} cents required, ${leftCents} left under the key's spending cap`)
    this.name = 'SpendCapReached'
    this.requiredCents = requiredCents
    this.leftCents = leftCents
    this.capCents = terms?.limit ?? 0
    this.windowSeconds = terms?.windowSeconds ?? 0
    this.nextLeavesAt = terms?.nextLeavesAt
  }
}

/** Thrown if the allowance for failed executions is used up, or reserved for runs in flight. */
export class NoAllowanceLeft extends Error {
  /** Milliseconds of the allowance in the leases of other processes. */
  readonly elsewhereMs: number
  constructor(elsewhereMs: number) {
    super('the allowance for failed executions is used up or reserved')
    this.name = 'NoAllowanceLeft'
    this.elsewhereMs = elsewhereMs
  }
}

/** Thrown if failed executions have used up the free allowance. */
export class FailedExecutionAllowance extends Error {
  /** The allowance that is exhausted: `pair` for that of a key and action, `account` for that of the whole account. */
  readonly of: 'pair' | 'account'
  /** Milliseconds until some of the used allowance leaves the window. */
  readonly retryAfterMs: number
  constructor(of: 'pair' | 'account', retryAfterMs: number) {
    super('the allowance for failed executions is exhausted')
    this.name = 'FailedExecutionAllowance'
    this.of = of
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Thrown if runs of the same key and action are in flight and have reserved the whole allowance for failed executions.
 */
export class RunsInFlight extends Error {
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super('runs in flight have reserved the allowance for failed executions')
    this.name = 'RunsInFlight'
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Thrown if it is unknown how much the account can pay, because the ledger or a process that leases the account's
 * credit does not respond.
 */
export class CreditsUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'CreditsUnavailable'
  }
}
