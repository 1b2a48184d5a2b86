/**
 * Updates the ledger to match the processor's authoritative records. Events, clients and timers only signal that these
 * may have changed, so their order and number do not matter, and a crash loses no information.
 */
import type { Database, Transaction } from '../../db/open.ts'
import { askAll } from '../lease-rows.ts'
import { lockAccount } from '../ledger.ts'
import { nextCreditedLook, nextOpenLook } from './looking.ts'
import { noteProgress, notePayment, paymentOf, type PaymentRow } from './payment-rows.ts'
import type { PaymentFacts } from './processor.ts'
import { settlePayment } from './taken-back.ts'

export type Reconciled = {
  /** Owner of the payment, according to our own record if one exists. */
  accountHash: string
  /** True if the metadata was changed at the processor, and names another account or no account. */
  differs: boolean
  /** True if credit was deducted. All processes have then been asked to return leased credit. */
  tookBack: boolean
}

/**
 * Runs in one transaction under the account's lock.
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

/** Returns our record. Creates it from the processor's data if a crash prevented us from recording the payment. */
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
  // Processing eventually succeeds or fails, but may take any amount of time.
  if (progress === 'processing')
    return { state: 'open', lookAt: new Date(now + PROCESSING_LOOK_MS) }
  return { state: 'failed', lookAt: null }
}

/** For a payment that has been processing for more than a week. */
const PROCESSING_LOOK_MS = 24 * 3_600_000
