/** Interface to the payment processor, implemented by `client.ts`. */

/** Progress of a payment. `declined` means that the last attempt failed, and that the payer may try again. */
export type PaymentProgress = 'unpaid' | 'declined' | 'processing' | 'paid' | 'canceled'

/**
 * A refund of a payment. `returned` means that the refund failed or was canceled, so that we permanently keep the
 * money.
 */
export type RefundFacts = { id: string; cents: number; returned: boolean }

/**
 * A dispute of a payment.
 * - `withdrawn`: true if the money was withdrawn from our processor account. An inquiry does not withdraw money.
 * - `reinstatedCents`: the amount that was permanently paid back to us. If the dispute is lost, this is the amount that
 *   had already been refunded before the dispute.
 */
export type DisputeFacts = {
  id: string
  cents: number
  withdrawn: boolean
  reinstatedCents: number
}

/** Facts about a payment intent, from the processor's own records. The values never return to an earlier state. */
export type PaymentFacts = {
  intentId: string
  /** Hash of the account named in the processor's metadata. Undefined if this deployment did not create the intent. */
  accountHash: string | undefined
  amountCents: number
  progress: PaymentProgress
  /**
   * Reason for the failure of the last attempt, as worded by the processor for the payer. Undefined if no attempt
   * failed.
   */
  reason: string | undefined
  /** Amount received, in US cents. Positive once the payment is paid. */
  receivedCents: number
  refunds: readonly RefundFacts[]
  disputes: readonly DisputeFacts[]
}

export type NewIntent = {
  accountHash: string
  customerId: string
  amountCents: number
  /**
   * ID of the write request. Repeated requests with the same ID return the same intent, whatever the outcome of the
   * first request.
   */
  writeId: string
}

/**
 * The payment processor. All methods throw `ProcessorUnavailable` if the processor does not respond or sends an invalid
 * response.
 */
export interface Processor {
  /**
   * Creates the customer that represents an account. Repeated calls within a day return the same customer.
   * @param instead ID of the previous customer, if the processor no longer has it
   */
  createCustomer(accountHash: string, instead?: string): Promise<string>
  /**
   * Creates a payment intent.
   * @throws {CustomerGone} if the processor no longer has the customer
   */
  createIntent(intent: NewIntent): Promise<{ intentId: string; clientSecret: string }>
  /**
   * Reads the facts of a payment intent.
   * @returns undefined if the intent is unknown, of the other mode (live or test), or in another currency
   */
  factsOf(intentId: string): Promise<PaymentFacts | undefined>
}

/** Thrown if the processor no longer has a customer, because the customer was deleted there. */
export class CustomerGone extends Error {
  constructor() {
    super('the customer no longer exists at the processor')
    this.name = 'CustomerGone'
  }
}

/** Thrown if the processor is unreachable or sends an invalid response. The effect of the request is then unknown. */
export class ProcessorUnavailable extends Error {
  /** @param reason contains only names and statuses, because the processor's messages may quote a key */
  constructor(reason: string) {
    super(reason)
    this.name = 'ProcessorUnavailable'
  }
}
