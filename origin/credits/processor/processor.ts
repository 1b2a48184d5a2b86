/** The interface to the payment processor, implemented by `client.ts`. */

/** Progress of a payment. `declined`: the last attempt failed, and another may follow. */
export type PaymentProgress = 'unpaid' | 'declined' | 'processing' | 'paid' | 'canceled'

/** A refund of a payment. `returned`: the refund failed or was canceled, so the money is permanently ours again. */
export type RefundFacts = { id: string; cents: number; returned: boolean }

/**
 * A dispute of a payment.
 * - `withdrawn`: the money was taken from us, which an inquiry does not do.
 * - `reinstatedCents`: the amount that was given back permanently. For a lost dispute, this is the amount that had been
 *   refunded before.
 */
export type DisputeFacts = {
  id: string
  cents: number
  withdrawn: boolean
  reinstatedCents: number
}

/** Money facts of a payment intent, from the processor's own records. Each value only moves forward. */
export type PaymentFacts = {
  intentId: string
  /** The account named in the processor's metadata; undefined if this deployment did not create the intent. */
  accountHash: string | undefined
  amountCents: number
  progress: PaymentProgress
  /** Why the last attempt failed, in the processor's message for the payer. */
  reason: string | undefined
  /** US cents received. Positive once the payment is paid. */
  receivedCents: number
  refunds: readonly RefundFacts[]
  disputes: readonly DisputeFacts[]
}

export type NewIntent = {
  accountHash: string
  customerId: string
  amountCents: number
  /** The same ID returns the same intent, whatever the outcome of an earlier request. */
  writeId: string
}

/** All methods throw `ProcessorUnavailable` if the processor does not answer, or answers with an invalid response. */
export interface Processor {
  /**
   * Creates the customer that represents an account. Repeated calls within a day return the same customer.
   * @param instead a customer that the processor no longer has
   */
  createCustomer(accountHash: string, instead?: string): Promise<string>
  /** @throws {CustomerGone} if the processor no longer has the customer */
  createIntent(intent: NewIntent): Promise<{ intentId: string; clientSecret: string }>
  /** @returns undefined if the intent is unknown, of the other mode (live or test), or in another currency */
  factsOf(intentId: string): Promise<PaymentFacts | undefined>
}

/** The processor no longer has the customer, because it was deleted there. */
export class CustomerGone extends Error {
  constructor() {
    super('the processor has this customer no more')
    this.name = 'CustomerGone'
  }
}

/** The processor was unreachable or gave an invalid response. The effect of the request is unknown. */
export class ProcessorUnavailable extends Error {
  /** @param reason names and statuses only, because the processor's messages may quote a key */
  constructor(reason: string) {
    super(reason)
    this.name = 'ProcessorUnavailable'
  }
}
