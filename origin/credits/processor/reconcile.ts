/**
 * Updates the ledger to match the processor's records, which are authoritative. Events, clients and timers only signal
 * that the records may have changed. Their order and number therefore do not matter, and a crash loses no information.
 */
import type { Database, Transaction } from '../../db/open.ts'
import { askAll } from '../lease-rows.ts'
import { lockAccount } from '../ledger.ts'
import { nextCreditedLook, nextOpenLook } from './looking.ts'
import { noteProgress, notePayment, paymentOf, type PaymentRow } from './payment-rows.ts'
import type { PaymentFacts } from './processor.ts'
import { settlePayment } from './taken-back.ts'

export type Reconciled = {
  /** Hash of the account that owns the payment, according to our own record if one exists. */
  accountHash: string
  /** True if the processor's metadata names another account or no account, because it was changed at the processor. */
  differs: boolean
  /**
   * True if credit was deducted for a refund or dispute. All processes have then been asked to return leased credit.
   */
  tookBack: boolean
}

/**
 * Reconciles a payment in one transaction under the account's lock.
 * @param now Unix milliseconds
 * @returns undefined if the payment does not belong to this deployment
 */
export function reconcile(
  db: Database,
  facts: PaymentFacts,
  { starterCents, now }: { starterCents: number; now: number },
): Promise<Reconciled | undefined> {
  const at = new Date(now)
  return db.transaction(async (tx) => {
    const payment = await notedPayment(tx, facts, at)
    if (!payment) return undefined
    const { accountHash } = payment
    const account = await lockAccount(tx, accountHash, { starterCents, at })
    const { tookBack } = await settlePayment(tx, account, at, facts)
    if (tookBack) await askAll(tx, accountHash)
    await noteProgress(tx, facts.intentId, progressOf(payment, facts, now))
    return { accountHash, differs: facts.accountHash !== accountHash, tookBack }
  })
}

/**
 * Returns our record of a payment. If a crash prevented us from recording the payment, creates the record from the
 * processor's data.
 */
async function notedPayment(
  tx: Transaction,
  { intentId, accountHash, amountCents }: PaymentFacts,
  at: Date,
): Promise<PaymentRow | undefined> {
  const noted = await paymentOf(tx, intentId)
  if (noted || accountHash === undefined) return noted
  await notePayment(tx, { intentId, accountHash, amountCents, at, lookAt: at })
  return paymentOf(tx, intentId)
}

function progressOf(
  { createdAt }: PaymentRow,
  { progress }: PaymentFacts,
  now: number,
): Pick<PaymentRow, 'state' | 'lookAt'> {
  if (progress === 'paid') return { state: 'credited', lookAt: nextCreditedLook(createdAt, now) }
  if (progress === 'canceled') return { state: 'failed', lookAt: null }
  const lookAt = nextOpenLook(createdAt, now)
  if (lookAt) return { state: 'open', lookAt }
  // A payment that is being processed eventually succeeds or fails, but this may take any amount of time.
  if (progress === 'processing')
    return { state: 'open', lookAt: new Date(now + PROCESSING_LOOK_MS) }
  return { state: 'failed', lookAt: null }
}

/** Poll interval for a payment that has been processing for more than a week. */
const PROCESSING_LOOK_MS = 24 * 3_600_000
