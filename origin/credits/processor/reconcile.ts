/**
 * Brings the ledger to what the processor has on its books. The processor's records are the truth; an event, a client
 * or the time only says that there may be something new in them. So it does not matter which of them comes first, how
 * often, or after which crash.
 */
import type { Database } from '../../db/open.ts'
import { askAll } from '../lease-rows.ts'
import { lockAccount, type Transaction } from '../ledger.ts'
import { nextCreditedLook, nextOpenLook } from './looking.ts'
import { noteProgress, notePayment, paymentOf, type PaymentRow } from './payment-rows.ts'
import type { PaymentFacts } from './processor.ts'
import { settlePayment } from './taken-back.ts'

export type Reconciled = {
  /** Whose payment it is: by our own note of it where there is one. */
  accountHash: string
  /** The processor has it under another account, or under none: somebody changed it there. */
  differs: boolean
  /** Credit was taken back: what processes have leased of it is asked for. */
  tookBack: boolean
}

/**
 * One transaction under the account's lock.
 * @param now Unix milliseconds
 * @returns undefined where the payment is nobody's here
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

/** Our note of a payment. After a crash between its creation and the note, it is made from what the processor has. */
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
  // What is on its way arrives, or fails, however long it takes.
  if (progress === 'processing')
    return { state: 'open', lookAt: new Date(now + PROCESSING_LOOK_MS) }
  return { state: 'failed', lookAt: null }
}

/** Of a payment that has been on its way for over a week. */
const PROCESSING_LOOK_MS = 24 * 3_600_000
