/**
 * The processor's answers, checked before they are believed: what a proxy on the way answers, or an object that was not
 * asked for, is no fact about money.
 */
import { z } from 'zod'
import type { DisputeFacts, PaymentFacts, PaymentProgress, RefundFacts } from './processor.ts'

const cents = z.int().min(0)

/** As the processor makes them. Keys of the ledger are made of them, whose parts are set apart by colons. */
const processorId = z.string().regex(/^[A-Za-z0-9_]{1,255}$/)

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

export type IntentAnswer = z.infer<typeof intentSchema>

/** What an intent of ours carries at the processor, and nothing else there does. */
export type Deployment = { name: string; live: boolean }

/** The metadata that names whose an intent or a customer is. */
export function metadataOf(accountHash: string, { name }: Deployment) {
  return { svc_account: accountHash, svc_deployment: name }
}

/** @throws {Error} where the answer is not that intent */
export function readIntent(answer: unknown, intentId: string): IntentAnswer {
  const intent = intentSchema.parse(answer)
  if (intent.id !== intentId) throw new Error('another intent was answered')
  return intent
}

/** Whether an intent can be of this deployment at all: real money is no play money, nor is a yen a cent. */
export function canBeOurs({ livemode, currency }: IntentAnswer, { live }: Deployment): boolean {
  return livemode === live && currency === 'usd'
}

/** @returns undefined unless this deployment made the intent */
function accountOf({ metadata }: IntentAnswer, { name }: Deployment): string | undefined {
  const { svc_account: account = '', svc_deployment: deployment } = metadata
  return deployment === name && /^0x[0-9a-f]{64}$/.test(account) ? account : undefined
}

const PROGRESS: Record<string, PaymentProgress> = {
  processing: 'processing',
  succeeded: 'paid',
  canceled: 'canceled',
}

/** @throws {Error} where an answer is not what it should be */
export function paymentFacts(
  intent: IntentAnswer,
  refunds: readonly unknown[],
  disputes: readonly unknown[],
  deployment: Deployment,
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
  return { id, cents: amount, returned: status === 'failed' || status === 'canceled' }
}

/** By what was moved, and not by its status: an inquiry moves nothing, and an appeal has statuses of its own. */
function disputeFacts(answer: unknown): DisputeFacts {
  const { id, amount, status, balance_transactions: moves } = disputeSchema.parse(answer)
  const sum = (sign: 1 | -1) =>
    moves.reduce((all, move) => all + Math.max(0, sign * move.amount), 0)
  const [gone, back] = [sum(-1), sum(1)]
  // What is moved is in the currency of our account there, and of one that is won at the rate of another day.
  const isWhole = back > 0 && (status === 'won' || back >= gone)
  const reinstatedCents = isWhole ? amount : gone > 0 ? Math.floor((amount * back) / gone) : 0
  return { id, cents: amount, withdrawn: gone > 0, reinstatedCents }
}
