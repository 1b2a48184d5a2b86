import type { BudgetTerms } from './budget-order.ts'

/** The account exists, but its spendable credit does not cover the requested amount. */
export class PaymentRequired extends Error {
  readonly requiredCents: number
  readonly balanceCents: number
  /** Debt from a refund or dispute of credit that was already spent. The next payment pays it first. */
  readonly debtCents: number
  constructor(requiredCents: number, balanceCents: number, debtCents = 0) {
    super(`this needs ${requiredCents} cents and ${balanceCents} can be spent`)
    this.name = 'PaymentRequired'
    this.requiredCents = requiredCents
    this.balanceCents = balanceCents
    this.debtCents = debtCents
  }
}

/** The account has credit, but the key's spending cap does not allow the requested amount. */
export class SpendCapReached extends Error {
  readonly requiredCents: number
  readonly leftCents: number
  readonly capCents: number
  readonly windowSeconds: number
  /** When some of the spent amount leaves the window. */
  readonly nextLeavesAt: Date | undefined
  constructor(requiredCents: number, leftCents: number, terms: BudgetTerms | undefined) {
    super(`this needs ${requiredCents} cents and the key may spend ${leftCents}`)
    this.name = 'SpendCapReached'
    this.requiredCents = requiredCents
    this.leftCents = leftCents
    this.capCents = terms?.limit ?? 0
    this.windowSeconds = terms?.windowSeconds ?? 0
    this.nextLeavesAt = terms?.nextLeavesAt
  }
}

/** The allowance for failed executions is used up, or reserved for runs in flight. */
export class NoAllowanceLeft extends Error {
  /** Milliseconds in the leases of other processes. */
  readonly elsewhereMs: number
  constructor(elsewhereMs: number) {
    super('nothing is left of the allowance for failed executions')
    this.name = 'NoAllowanceLeft'
    this.elsewhereMs = elsewhereMs
  }
}

/** Failed executions have used up the free allowance. */
export class FailedExecutionAllowance extends Error {
  /** The exhausted allowance: of one key and action, or of the whole account. */
  readonly of: 'pair' | 'account'
  /** Milliseconds until some of the used allowance leaves the window. */
  readonly retryAfterMs: number
  constructor(of: 'pair' | 'account', retryAfterMs: number) {
    super('the allowance for failed executions is used')
    this.name = 'FailedExecutionAllowance'
    this.of = of
    this.retryAfterMs = retryAfterMs
  }
}

/** Runs of the same key and action are in flight and have reserved the whole allowance for failed executions. */
export class RunsInFlight extends Error {
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super('runs in flight have reserved the allowance for failed executions')
    this.name = 'RunsInFlight'
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * The account's ability to pay is unknown, because the ledger, or a process that holds the account's credit, does not
 * answer.
 */
export class CreditsUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'CreditsUnavailable'
  }
}
