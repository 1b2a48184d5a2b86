/** Tracks payments. A payment is made on a separate page, `/pay`, and confirmed by the console. */
import type { BillingOperations, Credited } from '../../../../shared/client/core/billing.ts'
import { perConnection } from '../connection.ts'
import { balanceChanges, Listeners } from '../listeners.ts'
import { offerPayment } from './offer-payment.ts'
import type { PaymentHandover } from './payment-channel.ts'

export type Payment = {
  id: string
  amountCents: number
  /** State of the payment. `begun`: not reported as paid yet. `asking`: reported as paid, but not credited yet. */
  state: 'begun' | 'asking' | 'credited' | 'failed'
  path: string
  failure?: unknown
  credited?: Credited
}

type Parts = { billing: BillingOperations; publishableKey: string }

export class PaymentTracker {
  readonly changes = new Listeners()
  #payments: readonly Payment[] = []

  get all(): readonly Payment[] {
    return this.#payments
  }

  get credited(): number {
    return this.#payments.filter(({ state }) => state === 'credited').length
  }

  async begin({ billing, publishableKey }: Parts, amountCents: number): Promise<void> {
    const intent = await billing.createPaymentIntent({ amount_cents: amountCents })
    const { payment_intent_id: id, client_secret: clientSecret } = intent
    const handover: PaymentHandover = { clientSecret, publishableKey, amountCents }
    const path = offerPayment(handover, () => void this.confirm(billing, id))
    this.#payments = [{ id, amountCents, state: 'begun', path }, ...this.#payments]
    this.changes.notify()
  }

  /** Polls the origin until the payment has succeeded or failed. A report from the payment page is only a hint. */
  async confirm(billing: BillingOperations, id: string): Promise<void> {
    if (this.#payments.some((payment) => payment.id === id && payment.state === 'asking')) return
    this.#change(id, { state: 'asking', failure: undefined })
    try {
      this.#change(id, { state: 'credited', credited: await billing.waitUntilCredited(id) })
      balanceChanges.notify()
    } catch (failure) {
      this.#change(id, { state: 'failed', failure })
    }
  }

  #change(id: string, change: Partial<Payment>): void {
    this.#payments = this.#payments.map((one) => (one.id === id ? { ...one, ...change } : one))
    this.changes.notify()
  }
}

export const paymentTrackerOf = perConnection(() => new PaymentTracker())
