/** `declined` means that the last attempt failed, and that the payer may try again. */
export type PaymentProgress = 'unpaid' | 'declined' | 'processing' | 'paid' | 'canceled'

/** `failed`: true if the refund failed or was canceled, so that we permanently keep the money. */
export type RefundFacts = { id: string; cents: number; failed: boolean }

/**
 * - `withdrawn`: true if the money was withdrawn from our processor account. An inquiry does not withdraw money.
 * - `reinstatedCents`: the amount that was permanently paid back to us. If the dispute is lost, this is the amount that
 * had already been refunded before the dispute.
 */
export type DisputeFacts = {
  id: string
  cents: number
  withdrawn: boolean
  reinstatedCents: number
}

/** The values never return to an earlier state. */
export type PaymentFacts = {
  intentId: string
  /** Undefined if this deployment did not create the intent. */
  accountHash: string | undefined
  amountCents: number
  progress: PaymentProgress
  /** Message from the processor to the payer about a failed attempt. Undefined if the last attempt did not fail. */
  reason: string | undefined
  /** Received amount in US cents; positive once the payment is paid. */
  receivedCents: number
  refunds: readonly RefundFacts[]
  disputes: readonly DisputeFacts[]
}

export type NewIntent = {
  accountHash: string
  customerId: string
  amountCents: number
  /** Repeated requests with the same ID return the same intent, whatever the outcome of the first request. */
  writeId: string
}

/** All methods throw `ProcessorUnavailableError` if the processor does not respond or sends an invalid response. */
export interface Processor {
  /**
   * Creates a customer for an account. Repeated calls within a day return the same customer.
   * @param previousId ID of the previous customer, if the processor no longer has it
   */
  createCustomer(accountHash: string, previousId?: string): Promise<string>
  /** @throws {CustomerGoneError} if the processor no longer has the customer */
  createIntent(intent: NewIntent): Promise<{ intentId: string; clientSecret: string }>
  /**
   * Returns the state of an intent, or undefined if the intent is unknown, of the other mode (live or test), or in
   * another currency.
   */
  factsOf(intentId: string): Promise<PaymentFacts | undefined>
}

export class CustomerGoneError extends Error {
  constructor() {
    super('the customer no longer exists at the processor')
    this.name = 'CustomerGoneError'
  }
}

/**
 * Thrown if the processor is unreachable or sent an invalid response. The effect of the request is unknown. The message
 * contains only names and statuses, because the processor's messages may quote a key.
 */
export class ProcessorUnavailableError extends Error {
  override readonly name = 'ProcessorUnavailableError'
}

export class NoProcessorError extends Error {
  override readonly name = 'NoProcessorError'
  constructor() {
    super('no payment processor is configured')
  }
}
