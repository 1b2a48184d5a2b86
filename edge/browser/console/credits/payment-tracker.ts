/** Tracks payments. A payment is made on a separate page, `/pay`, and confirmed by the console. */
import type { BillingOperations, Credited } from '../../../../shared/client/core/billing.ts'
import { perConnection } from '../connection.ts'
import { balanceChanges, Listeners } from '../listeners.ts'
import { type PaymentHandover, channelName, type FromPayPage, PAY_PATH } from './payment-channel.ts'
import { encodeHex } from '../../../../shared/encoding/hex.ts'

const NAME_BYTES = 16

/**
 * Offers a payment to the `/pay` page until this tab is closed. That page runs the payment processor's script, so the
 * page receives only the payment: no API key, and no reference to our window (`noopener`). The page requests the payment
 * on a BroadcastChannel, whose random name is in the page's URL. The channel does not reach other browsers, so a person
 * who opens another user's link cannot be made to pay for that user.
 * @returns path of the payment page, including the fragment
 */
function offerPayment(handover: PaymentHandover, onPaid: () => void): string {
  const name = encodeHex(crypto.getRandomValues(new Uint8Array(NAME_BYTES)))
  const channel = new BroadcastChannel(channelName(name))
  channel.addEventListener('message', ({ data }: MessageEvent<FromPayPage>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels are same-origin
    if (data.said === 'ready') channel.postMessage(handover)
    else if (data.said === 'paid' || data.said === 'on its way') onPaid()
  })
  return `${PAY_PATH}#${name}`
}

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
