import type { Transaction } from '../db/open.ts'
import { appendEntry, type NewEntry } from './append-entry.ts'
import { type AuditContext, internalContext } from './context.ts'

export function intentEntry(
  context: AuditContext,
  { intentId, amountCents }: { intentId: string; amountCents: number },
): NewEntry {
  return {
    context,
    sourceId: `payment_intent/${intentId}`,
    outcome: 'done',
    subject: { payment_intent_id: intentId },
    details: { amount_cents: amountCents },
  }
}

/** Kinds of transfers that the payment processor causes. Operators log their adjustments themselves. */
const PROCESSOR_KINDS: ReadonlySet<string> = new Set(['payment', 'refund', 'dispute', 'reversal'])

type Credit = {
  accountHash: string
  kind: string
  idempotencyKey: string
  cents: number
  subject?: string
}

/** Logs a payment, a refund, a dispute or the reversal of one. The caller holds the account's credit lock. */
export async function logCredit(
  tx: Transaction,
  { accountHash, kind, idempotencyKey, cents, subject }: Credit,
  at: Date,
): Promise<void> {
  if (!PROCESSOR_KINDS.has(kind)) return
  const entry: NewEntry = {
    context: internalContext(accountHash, `billing/${kind}`, 'payment_processor'),
    sourceId: `ledger/${idempotencyKey}`,
    outcome: 'done',
    subject: subject === undefined ? {} : { payment_intent_id: subject },
    details: { cents },
  }
  await appendEntry(tx, entry, at)
}
