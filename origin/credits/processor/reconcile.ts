/**
 * Updates the ledger to match the processor's authoritative records. Events, clients and timers only signal that the
 * records may have changed, so the order and number of signals do not matter, and a crash loses no information.
 */
import { eq } from 'drizzle-orm'
import { DAY_MS } from '../../../shared/durations.ts'
import type { Database, Transaction } from '../../db/open.ts'
import { creditLeases } from '../../db/schema.ts'
import { requestReturns } from '../lease-rows.ts'
import { lockAccount } from '../ledger.ts'
import { nextCreditedPoll, nextOpenPoll } from './poll-schedule.ts'
import {
  findPayment,
  type PaymentRow,
  type PaymentTroubles,
  recordPayment,
  recordProgress,
} from './payment-rows.ts'
import type { PaymentFacts } from './processor.ts'
import { settlePayment } from './settle-payment.ts'

type Reconciliation = {
  /** Owner of the payment, according to our own record if one exists. */
  accountHash: string
  /** True if the payment's metadata was changed at the processor, and names another account or no account. */
  differs: boolean
  /** True if credit was deducted. In this case, all processes have been asked to return leased credit. */
  tookBack: boolean
}

/**
 * Runs in one transaction under the account's lock.
 * @returns undefined if the payment does not belong to this deployment
 */
export function reconcile(
  db: Database,
  facts: PaymentFacts,
  { starterCents, now }: { starterCents: number; now: number },
): Promise<Reconciliation | undefined> {
  const at = new Date(now)
  return db.transaction(async (tx) => {
    const payment = await findOrRecordPayment(tx, facts, at)
    if (!payment) return undefined
    const { accountHash } = payment
    const account = await lockAccount(tx, accountHash, { starterCents, at })
    const { tookBack } = await settlePayment(tx, account, at, facts)
    // Requests the return of leased credit, which then pays the debt. No process would request the return otherwise.
    if (tookBack) await requestReturns(tx, eq(creditLeases.accountHash, accountHash))
    const progress = progressOf(payment, facts, now)
    await recordProgress(tx, facts.intentId, { ...progress, ...troublesOf(payment, facts, at) })
    return { accountHash, differs: facts.accountHash !== accountHash, tookBack }
  })
}

/** Creates the record from the processor's data if a crash prevented us from recording the payment. */
async function findOrRecordPayment(
  tx: Transaction,
  { intentId, accountHash, amountCents }: PaymentFacts,
  at: Date,
): Promise<PaymentRow | undefined> {
  const recorded = await findPayment(tx, intentId)
  if (recorded || accountHash === undefined) return recorded
  await recordPayment(tx, { intentId, accountHash, amountCents, at, lookAt: at })
  return findPayment(tx, intentId)
}

function progressOf(
  { createdAt }: PaymentRow,
  { progress }: PaymentFacts,
  now: number,
): Pick<PaymentRow, 'state' | 'lookAt'> {
  if (progress === 'paid') return { state: 'credited', lookAt: nextCreditedPoll(createdAt, now) }
  if (progress === 'canceled') return { state: 'failed', lookAt: null }
  const lookAt = nextOpenPoll(createdAt, now)
  if (lookAt) return { state: 'open', lookAt }
  // A payment in processing eventually succeeds or fails, but may take any amount of time.
  if (progress === 'processing')
    return { state: 'open', lookAt: new Date(now + PROCESSING_POLL_MS) }
  return { state: 'failed', lookAt: null }
}

/** Keeps the time at which a problem was first seen. */
function troublesOf(
  { declinedAt, disputedAt }: PaymentRow,
  { progress, disputes }: PaymentFacts,
  at: Date,
): PaymentTroubles {
  const isDisputed = disputes.some(
    ({ cents, withdrawn, reinstatedCents }) => withdrawn && reinstatedCents < cents,
  )
  return {
    declinedAt: progress === 'declined' ? (declinedAt ?? at) : null,
    disputedAt: isDisputed ? (disputedAt ?? at) : null,
  }
}

const PROCESSING_POLL_MS = DAY_MS
