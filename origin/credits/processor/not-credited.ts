import type { PaymentStatus } from './payments.ts'

/** The payment is unknown, pending or failed. */
export class NotCreditedError extends Error {
  readonly status: Exclude<PaymentStatus, { state: 'credited' }>
  constructor(status: Exclude<PaymentStatus, { state: 'credited' }>) {
    super(`the payment is ${status.state}`)
    this.name = 'NotCreditedError'
    this.status = status
  }
}
