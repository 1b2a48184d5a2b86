/** Objects of the processor with the fields that our code reads, named as on the wire. Times in Unix seconds. */
import { randomBytes } from 'node:crypto'

/** API version that our version of the library requests in its header. */
export const API_VERSION = '2026-10-28.endive'

export type Metadata = Record<string, string>

export type Customer = {
  id: string
  object: 'customer'
  created: number
  livemode: boolean
  metadata: Metadata
  deleted?: true
}

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'canceled'

export type PaymentError = {
  type: 'card_error' | 'invalid_request_error'
  code: string
  decline_code?: string
  message: string
}

export type Intent = {
  id: string
  object: 'payment_intent'
  amount: number
  amount_received: number
  automatic_payment_methods: { enabled: boolean; allow_redirects: 'always' } | null
  canceled_at: number | null
  client_secret: string
  created: number
  currency: string
  customer: string | null
  last_payment_error: PaymentError | null
  latest_charge: string | null
  livemode: boolean
  metadata: Metadata
  status: IntentStatus
}

export type Charge = {
  id: string
  object: 'charge'
  amount: number
  amount_captured: number
  amount_refunded: number
  captured: boolean
  created: number
  currency: string
  disputed: boolean
  livemode: boolean
  metadata: Metadata
  paid: boolean
  payment_intent: string
  refunded: boolean
  status: 'pending' | 'succeeded' | 'failed'
}

export type RefundStatus = 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled'

export type Refund = {
  id: string
  object: 'refund'
  amount: number
  charge: string
  created: number
  currency: string
  metadata: Metadata
  payment_intent: string
  status: RefundStatus
}

export type DisputeStatus =
  | 'warning_needs_response'
  | 'warning_under_review'
  | 'warning_closed'
  | 'needs_response'
  | 'under_review'
  | 'won'
  | 'lost'

export type BalanceTransaction = {
  id: string
  object: 'balance_transaction'
  amount: number
  currency: string
  reporting_category: 'dispute' | 'dispute_reversal'
}

export type Dispute = {
  id: string
  object: 'dispute'
  amount: number
  /** Funds withdrawn, and funds reinstated. */
  balance_transactions: BalanceTransaction[]
  charge: string
  created: number
  currency: string
  livemode: boolean
  metadata: Metadata
  payment_intent: string
  status: DisputeStatus
}

export type ProcessorObject = Customer | Intent | Charge | Refund | Dispute

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
