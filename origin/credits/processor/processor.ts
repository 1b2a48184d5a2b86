/** What payments need of the payment processor; `client.ts` has it from the real one. */

/** How far a payment has come. `declined`: the last try failed, and another one may follow. */
export type PaymentProgress = 'unpaid' | 'declined' | 'processing' | 'paid' | 'canceled'

/** A refund of a payment. It failed or was canceled where it is `returned`: the money is ours again, for good. */
export type RefundFacts = { id: string; cents: number; returned: boolean }

/**
 * A dispute of a payment. `withdrawn`: its money was taken from us, which an inquiry does not do; `reinstatedCents`: as
 * much was given back, for good. Of a dispute that is lost it is what had been refunded before.
 */
export type DisputeFacts = {
  id: string
  cents: number
  withdrawn: boolean
  reinstatedCents: number
}

/** The money facts of a payment intent as the processor's own records have them. Each only ever moves forward. */
export type PaymentFacts = {
  intentId: string
  /** Whose it is by what is noted at the processor; undefined where this deployment noted nothing. */
  accountHash: string | undefined
  amountCents: number
  progress: PaymentProgress
  /** Why the last try failed, in the processor's words to its payer. */
  reason: string | undefined
  /** What has been received, in cents of usd: above 0 once it is paid. */
  receivedCents: number
  refunds: readonly RefundFacts[]
  disputes: readonly DisputeFacts[]
}

export type NewIntent = {
  accountHash: string
  customerId: string
  amountCents: number
  /** The same id asks for the same intent, whatever became of an earlier request. */
  writeId: string
}

/** Every method throws `ProcessorUnavailable` where the processor does not answer, or not as it should. */
export interface Processor {
  /**
   * The customer that stands for an account: the same one for a day, however often it is asked for.
   * @param instead of a customer that the processor has no more
   */
  createCustomer(accountHash: string, instead?: string): Promise<string>
  /** @throws {CustomerGone} where the processor has the customer no more */
  createIntent(intent: NewIntent): Promise<{ intentId: string; clientSecret: string }>
  /** @returns undefined for an intent that is unknown, of the other mode (live or test), or in another currency */
  factsOf(intentId: string): Promise<PaymentFacts | undefined>
}

/** The processor has a customer no more: its operator deleted it. */
export class CustomerGone extends Error {
  constructor() {
    super('the processor has this customer no more')
    this.name = 'CustomerGone'
  }
}

/** The processor was not reached, or did not answer as it should: nobody knows what it did. */
export class ProcessorUnavailable extends Error {
  /** @param reason in names and statuses: never the processor's words, which may quote a key */
  constructor(reason: string) {
    super(reason)
    this.name = 'ProcessorUnavailable'
  }
}
