/** A customer's actions on a payment intent, and its states. */
import { ProcessorApiError } from './api-error.ts'
import { type Charge, type Intent, type IntentStatus, newId, type PaymentError } from './objects.ts'
import type { Emit, Records } from './records.ts'

const DECLINED: PaymentError = {
  type: 'card_error',
  code: 'card_declined',
  decline_code: 'generic_decline',
  message: 'Your card was declined.',
}
const REVERTED: PaymentError = {
  type: 'invalid_request_error',
  code: 'payment_intent_payment_attempt_failed',
  message: 'The payment failed.',
}

const PAYABLE: readonly IntentStatus[] = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
]

/** The customer's side of the state machine. Each step emits its events. */
export class Paying {
  readonly #records: Records
  readonly #emit: Emit

  constructor(records: Records, emit: Emit) {
    this.#records = records
    this.#emit = emit
  }

  /** Pays with a card that is accepted at once. */
  byCard(intentId: string): Intent {
    return this.#succeed(this.#in(intentId, PAYABLE, 'confirm'))
  }

  /** Pays with a card that needs authentication. `byCard` completes it, `decline` rejects it. */
  byCardThatAsks(intentId: string): Intent {
    return this.#move(intentId, PAYABLE, 'requires_action', 'payment_intent.requires_action')
  }

  /** Enters a card without confirming the payment. */
  enterCard(intentId: string): Intent {
    const intent = this.#in(intentId, ['requires_payment_method'], 'update')
    intent.status = 'requires_confirmation'
    return intent
  }

  /** Pays by cryptocurrency; pending until confirmed on-chain. */
  byCrypto(intentId: string): Intent {
    return this.#move(intentId, PAYABLE, 'processing', 'payment_intent.processing')
  }

  /** The transaction was confirmed on-chain. */
  confirmOnChain(intentId: string): Intent {
    return this.#succeed(this.#in(intentId, ['processing'], 'settle'))
  }

  /** The transaction was reverted or never arrived. */
  revertOnChain(intentId: string): Intent {
    return this.#fail(this.#in(intentId, ['processing'], 'fail'), REVERTED)
  }

  decline(intentId: string): Intent {
    return this.#fail(this.#in(intentId, PAYABLE, 'confirm'), DECLINED)
  }

  cancel(intentId: string): Intent {
    const intent = this.#in(intentId, PAYABLE, 'cancel')
    intent.status = 'canceled'
    intent.canceled_at = this.#records.seconds
    this.#emit('payment_intent.canceled', intent)
    return intent
  }

  #move(id: string, from: readonly IntentStatus[], to: IntentStatus, event: string): Intent {
    const intent = this.#in(id, from, 'confirm')
    intent.status = to
    this.#emit(event, intent)
    return intent
  }

  #succeed(intent: Intent): Intent {
    const charge = this.#charge(intent, 'succeeded')
    intent.status = 'succeeded'
    intent.amount_received = intent.amount
    intent.last_payment_error = null
    this.#emit('payment_intent.succeeded', intent)
    this.#emit('charge.succeeded', charge)
    return intent
  }

  #fail(intent: Intent, error: PaymentError): Intent {
    const charge = this.#charge(intent, 'failed')
    intent.status = 'requires_payment_method'
    intent.last_payment_error = error
    this.#emit('charge.failed', charge)
    this.#emit('payment_intent.payment_failed', intent)
    return intent
  }

  #charge(intent: Intent, status: Charge['status']): Charge {
    const paid = status === 'succeeded'
    const charge: Charge = {
      id: newId('ch'),
      object: 'charge',
      amount: intent.amount,
      amount_captured: paid ? intent.amount : 0,
      amount_refunded: 0,
      captured: paid,
      created: this.#records.seconds,
      currency: intent.currency,
      disputed: false,
      livemode: intent.livemode,
      metadata: intent.metadata,
      paid,
      payment_intent: intent.id,
      refunded: false,
      status,
    }
    this.#records.charges.set(charge.id, charge)
    intent.latest_charge = charge.id
    return charge
  }

  #in(id: string, from: readonly IntentStatus[], verb: string): Intent {
    const intent = this.#records.intent(id)
    if (from.includes(intent.status)) return intent
    const message = `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`
    throw new ProcessorApiError(400, message, { code: 'payment_intent_unexpected_state' })
  }
}
