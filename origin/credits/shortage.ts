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

/** Whether the account can pay is not known: the ledger, or a process that holds credit of it, does not answer. */
export class CreditsUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'CreditsUnavailable'
  }
}
