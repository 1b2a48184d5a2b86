/**
 * Validates the processor's responses before any of their amounts are used. A response may come from a proxy, or
 * describe an object other than the requested one.
 */
import { z } from 'zod'
import type { DisputeFacts, PaymentFacts, PaymentProgress, RefundFacts } from './processor.ts'

const cents = z.int().min(0)

/**
 * ID of an object at the processor. It contains no colon, because ledger keys embed these IDs and use colons as
 * separators.
 */
export const processorId = z.string().regex(/^[A-Za-z0-9_]{1,255}$/)

const intentSchema = z.object({
  id: processorId,
  object: z.literal('payment_intent'),
  amount: cents,
  amount_received: cents,
  currency: z.string(),
  last_payment_error: z.object({ message: z.string().optional() }).nullish(),
  livemode: z.boolean(),
  metadata: z.record(z.string(), z.string()),
  status: z.string(),
})

const refundSchema = z.object({
  id: processorId,
  object: z.literal('refund'),
  amount: cents,
  status: z.string().nullable(),
})

const disputeSchema = z.object({
  id: processorId,
  object: z.literal('dispute'),
  amount: cents,
  status: z.string(),
  balance_transactions: z.array(z.object({ amount: z.int() })),
})

export const customerSchema = z.object({ id: processorId, object: z.literal('customer') })

export const newIntentSchema = z.object({
  id: processorId,
  object: z.literal('payment_intent'),
  client_secret: z.string().min(1),
})

export type IntentResponse = z.infer<typeof intentSchema>

export type ProcessorDeployment = { name: string; live: boolean }

export function metadataOf(accountHash: string, { name }: ProcessorDeployment) {
  return { svc_account: accountHash, svc_deployment: name }
}

/** @throws {Error} if the response is malformed or describes another payment intent */
export function readIntent(answer: unknown, intentId: string): IntentResponse {
  const intent = intentSchema.parse(answer)
  if (intent.id !== intentId) throw new Error('the response is for a different payment intent')
  return intent
}

/**
 * Returns false if the intent cannot be from this deployment, because it is of the other mode (live or test) or in
 * another currency.
 */
export function canBeOurs(
  { livemode, currency }: IntentResponse,
  { live }: ProcessorDeployment,
): boolean {
  return livemode === live && currency === 'usd'
}

/** @returns undefined if this deployment did not create the intent */
function accountOf(
  { metadata }: IntentResponse,
  { name }: ProcessorDeployment,
): string | undefined {
  const { svc_account: account = '', svc_deployment: deployment } = metadata
  return deployment === name && /^0x[0-9a-f]{64}$/.test(account) ? account : undefined
}

const PROGRESS: Record<string, PaymentProgress> = {
  processing: 'processing',
  succeeded: 'paid',
  canceled: 'canceled',
}

/** @throws {Error} if a response is malformed */
export function paymentFacts(
  intent: IntentResponse,
  refunds: readonly unknown[],
  disputes: readonly unknown[],
  deployment: ProcessorDeployment,
): PaymentFacts {
  const reason = intent.last_payment_error?.message
  const isDeclined = intent.status === 'requires_payment_method' && intent.last_payment_error
  const progress = PROGRESS[intent.status] ?? (isDeclined ? 'declined' : 'unpaid')
  return {
    intentId: intent.id,
    accountHash: accountOf(intent, deployment),
    amountCents: intent.amount,
    progress,
    reason,
    receivedCents: progress === 'paid' ? intent.amount_received : 0,
    refunds: refunds.map(refundFacts),
    disputes: disputes.map(disputeFacts),
  }
}

function refundFacts(answer: unknown): RefundFacts {
  const { id, amount, status } = refundSchema.parse(answer)
  return { id, cents: amount, failed: status === 'failed' || status === 'canceled' }
}

/**
 * Derives the state of a dispute from the moved amounts, not from its status: an inquiry moves no money, and appeals
 * have separate statuses.
 */
function disputeFacts(answer: unknown): DisputeFacts {
  const { id, amount, status, balance_transactions: moves } = disputeSchema.parse(answer)
  const sum = (sign: 1 | -1) =>
    moves.reduce((all, move) => all + Math.max(0, sign * move.amount), 0)
  const [gone, back] = [sum(-1), sum(1)]
  // The moved amounts are in the currency of our processor account. The money of a won dispute is paid back at another
  // day's exchange rate, so the withdrawn and the repaid amount may differ.
  const isWhole = back > 0 && (status === 'won' || back >= gone)
  const reinstatedCents = isWhole ? amount : gone > 0 ? Math.floor((amount * back) / gone) : 0
  return { id, cents: amount, withdrawn: gone > 0, reinstatedCents }
}
