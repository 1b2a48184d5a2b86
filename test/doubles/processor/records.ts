/** Records of the processor: customers, intents, and the results of payments. */
import { missing, ProcessorApiError } from './api-error.ts'
import {
  type Charge,
  type Customer,
  type Dispute,
  type Intent,
  type Metadata,
  newId,
  type Refund,
} from './objects.ts'

/** Minimum amount of an intent in US cents. */
const AMOUNT_MIN = 50

export type Emit = (type: string, object: Intent | Charge | Refund | Dispute) => void

/** Each map is in order of creation. */
export class Records {
  readonly customers = new Map<string, Customer>()
  readonly intents = new Map<string, Intent>()
  readonly charges = new Map<string, Charge>()
  readonly refunds = new Map<string, Refund>()
  readonly disputes = new Map<string, Dispute>()
  readonly livemode: boolean
  readonly #now: () => number

  constructor(livemode: boolean, now: () => number) {
    this.livemode = livemode
    this.#now = now
  }

  /** Current time in Unix seconds. */
  get seconds(): number {
    return Math.floor(this.#now() / 1000)
  }

  createCustomer(metadata: Metadata): Customer {
    const { livemode, seconds: created } = this
    const customer: Customer = { id: newId('cus'), object: 'customer', created, livemode, metadata }
    this.customers.set(customer.id, customer)
    return customer
  }

  createIntent(asked: {
    amount: number | undefined
    currency: string | undefined
    customer: string | undefined
    automatic: boolean
    metadata: Metadata
  }): Intent {
    const { amount, currency, customer, automatic, metadata } = asked
    if (amount === undefined || currency === undefined) {
      const param = amount === undefined ? 'amount' : 'currency'
      const facts = { code: 'parameter_missing', param }
      throw new ProcessorApiError(400, `Missing required param: ${param}.`, facts)
    }
    if (amount < AMOUNT_MIN) {
      const facts = { code: 'amount_too_small', param: 'amount' }
      throw new ProcessorApiError(400, 'Amount must be at least $0.50 usd', facts)
    }
    if (customer !== undefined && this.customers.get(customer)?.deleted !== undefined)
      throw missing('customer', customer, 'customer', 400)
    if (customer !== undefined && !this.customers.has(customer))
      throw missing('customer', customer, 'customer', 400)
    const id = newId('pi')
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount,
      amount_received: 0,
      automatic_payment_methods: automatic ? { enabled: true, allow_redirects: 'always' } : null,
      canceled_at: null,
      client_secret: `${id}_${newId('secret')}`,
      created: this.seconds,
      currency: currency.toLowerCase(),
      customer: customer ?? null,
      last_payment_error: null,
      latest_charge: null,
      livemode: this.livemode,
      metadata,
      status: 'requires_payment_method',
    }
    this.intents.set(id, intent)
    return intent
  }

  /** @throws {ProcessorApiError} 404 */
  intent(id: string): Intent {
    const intent = this.intents.get(id)
    if (!intent) throw missing('payment_intent', id, 'intent')
    return intent
  }

  /** @throws {ProcessorApiError} 404 */
  refund(id: string): Refund {
    const refund = this.refunds.get(id)
    if (!refund) throw missing('refund', id)
    return refund
  }

  /** @throws {ProcessorApiError} 404 */
  dispute(id: string): Dispute {
    const dispute = this.disputes.get(id)
    if (!dispute) throw missing('dispute', id)
    return dispute
  }

  /** Charge that paid an intent. @throws {ProcessorApiError} 400 if the intent was not paid */
  paidCharge(intentId: string): Charge {
    const { latest_charge } = this.intent(intentId)
    const charge = latest_charge === null ? undefined : this.charges.get(latest_charge)
    if (charge?.status === 'succeeded') return charge
    throw new ProcessorApiError(400, 'This PaymentIntent does not have a successful charge.')
  }
}
