/** Returned money: refunds by the seller, disputes by the customer's bank. */
import { ProcessorApiError } from './api-error.ts'
import {
  type BalanceTransaction,
  type Dispute,
  type DisputeStatus,
  newId,
  type Refund,
  type RefundStatus,
} from './objects.ts'
import type { Emit, Records } from './records.ts'

/** Statuses of refunds that count against their charge. */
const COUNTED: readonly RefundStatus[] = ['pending', 'requires_action', 'succeeded']

/** State machine of refunds and disputes. Each step emits its events. */
export class GivingBack {
  readonly #records: Records
  readonly #emit: Emit

  constructor(records: Records, emit: Emit) {
    this.#records = records
    this.#emit = emit
  }

  /** @param amount default: the entire remainder */
  refund(
    intentId: string,
    { amount, status = 'succeeded' }: { amount?: number; status?: 'pending' | 'succeeded' } = {},
  ): Refund {
    const charge = this.#records.paidCharge(intentId)
    const left = charge.amount - charge.amount_refunded
    const cents = amount ?? left
    if (cents < 1 || cents > left) {
      const facts = { code: 'charge_already_refunded' }
      throw new ProcessorApiError(400, 'Refund amount is greater than what is left.', facts)
    }
    const refund: Refund = {
      id: newId('re'),
      object: 'refund',
      amount: cents,
      charge: charge.id,
      created: this.#records.seconds,
      currency: charge.currency,
      metadata: {},
      payment_intent: intentId,
      status,
    }
    this.#records.refunds.set(refund.id, refund)
    this.#recount(intentId)
    this.#emit('refund.created', refund)
    this.#emit('charge.refunded', charge)
    return refund
  }

  settleRefund(id: string): Refund {
    return this.#moveRefund(id, 'succeeded', 'refund.updated')
  }

  /** The customer's bank rejected the refund, and the seller gets the money back. */
  failRefund(id: string): Refund {
    return this.#moveRefund(id, 'failed', 'refund.failed')
  }

  cancelRefund(id: string): Refund {
    return this.#moveRefund(id, 'canceled', 'refund.updated')
  }

  /** @param inquiry an inquiry by the bank, which withdraws no funds yet */
  dispute(
    intentId: string,
    { amount, inquiry = false }: { amount?: number; inquiry?: boolean } = {},
  ): Dispute {
    const charge = this.#records.paidCharge(intentId)
    const dispute: Dispute = {
      id: newId('du'),
      object: 'dispute',
      amount: amount ?? charge.amount,
      balance_transactions: [],
      charge: charge.id,
      created: this.#records.seconds,
      currency: charge.currency,
      livemode: charge.livemode,
      metadata: {},
      payment_intent: intentId,
      status: inquiry ? 'warning_needs_response' : 'needs_response',
    }
    charge.disputed = true
    this.#records.disputes.set(dispute.id, dispute)
    if (!inquiry) this.#move(dispute, 'dispute')
    this.#emit('charge.dispute.created', dispute)
    if (!inquiry) this.#emit('charge.dispute.funds_withdrawn', dispute)
    return dispute
  }

  /** Turns an inquiry into a dispute. */
  escalate(id: string): Dispute {
    const dispute = this.#disputeIn(id, ['warning_needs_response', 'warning_under_review'])
    dispute.status = 'needs_response'
    this.#move(dispute, 'dispute')
    this.#emit('charge.dispute.funds_withdrawn', dispute)
    this.#emit('charge.dispute.updated', dispute)
    return dispute
  }

  closeInquiry(id: string): Dispute {
    const dispute = this.#disputeIn(id, ['warning_needs_response', 'warning_under_review'])
    dispute.status = 'warning_closed'
    this.#emit('charge.dispute.closed', dispute)
    return dispute
  }

  answerDispute(id: string): Dispute {
    const dispute = this.#disputeIn(id, ['needs_response'])
    dispute.status = 'under_review'
    this.#emit('charge.dispute.updated', dispute)
    return dispute
  }

  win(id: string): Dispute {
    const dispute = this.#disputeIn(id, ['needs_response', 'under_review'])
    dispute.status = 'won'
    this.#move(dispute, 'dispute_reversal')
    this.#emit('charge.dispute.closed', dispute)
    this.#emit('charge.dispute.funds_reinstated', dispute)
    return dispute
  }

  /** @param reinstated part of the payment that was refunded before; it is returned although the dispute is lost */
  lose(id: string, { reinstated = 0 }: { reinstated?: number } = {}): Dispute {
    const dispute = this.#disputeIn(id, ['needs_response', 'under_review'])
    dispute.status = 'lost'
    if (reinstated > 0) this.#move(dispute, 'dispute_reversal', reinstated)
    this.#emit('charge.dispute.closed', dispute)
    if (reinstated > 0) this.#emit('charge.dispute.funds_reinstated', dispute)
    return dispute
  }

  #moveRefund(id: string, to: RefundStatus, event: string): Refund {
    const refund = this.#records.refund(id)
    // Even a succeeded refund can still be returned by the bank.
    if (!COUNTED.includes(refund.status)) throw wrongState('Refund', refund.status)
    refund.status = to
    this.#recount(refund.payment_intent)
    this.#emit(event, refund)
    return refund
  }

  #recount(intentId: string): void {
    const charge = this.#records.paidCharge(intentId)
    const counted = [...this.#records.refunds.values()].filter(
      (refund) => refund.charge === charge.id && COUNTED.includes(refund.status),
    )
    charge.amount_refunded = counted.reduce((sum, { amount }) => sum + amount, 0)
    charge.refunded = charge.amount_refunded === charge.amount
  }

  #move(
    dispute: Dispute,
    category: BalanceTransaction['reporting_category'],
    amount = dispute.amount,
  ): void {
    const { currency } = dispute
    dispute.balance_transactions.push({
      id: newId('txn'),
      object: 'balance_transaction',
      amount: category === 'dispute' ? -amount : amount,
      currency,
      reporting_category: category,
    })
  }

  #disputeIn(id: string, from: readonly DisputeStatus[]): Dispute {
    const dispute = this.#records.dispute(id)
    if (!from.includes(dispute.status)) throw wrongState('Dispute', dispute.status)
    return dispute
  }
}

function wrongState(what: string, status: string): ProcessorApiError {
  return new ProcessorApiError(400, `This ${what} has a status of ${status}.`)
}
