import type { BudgetTerms } from './budget-order.ts'

/** The account exists, and what it can spend does not cover what was asked for. */
export class PaymentRequired extends Error {
  readonly requiredCents: number
  readonly balanceCents: number
  /** Owed since a refund or a dispute of credit that was spent: the next payment pays it first. */
  readonly debtCents: number
  constructor(requiredCents: number, balanceCents: number, debtCents = 0) {
    super(`this needs ${requiredCents} cents and ${balanceCents} can be spent`)
    this.name = 'PaymentRequired'
    this.requiredCents = requiredCents
    this.balanceCents = balanceCents
    this.debtCents = debtCents
  }
}

/** The account has credit, and its key may not spend so much of it: its cap is reached. */
export class SpendCapReached extends Error {
  readonly requiredCents: number
  readonly leftCents: number
  readonly capCents: number
  readonly windowSeconds: number
  /** When some of what was spent leaves the window. */
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

/** What failed executions may take is used, or reserved for runs that are under way. */
export class NoAllowanceLeft extends Error {
  /** In the leases of other processes, in milliseconds. */
  readonly elsewhereMs: number
  constructor(elsewhereMs: number) {
    super('nothing is left of the allowance for failed executions')
    this.name = 'NoAllowanceLeft'
    this.elsewhereMs = elsewhereMs
  }
}

/** Failed executions have used all that they may take for nothing. */
export class FailedExecutionAllowance extends Error {
  /** Of what it is the allowance: of one key and action, or of all of the account. */
  readonly of: 'pair' | 'account'
  /** Until some of what was used leaves the window. */
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

/** Whether the account can pay is not known: the ledger, or a process that holds credit of it, does not answer. */
export class CreditsUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'CreditsUnavailable'
  }
}
