/**
 * Posts payments, refunds and disputes to the ledger. The ledger must reach the same state in whatever order the
 * processor's records are read, even if two processes read them at the same time and one has older data:
 *
 * - Each refund or dispute is deducted once and restored at most once (`refund:<id>`, `refund:<id>:failed`,
 * `dispute:<id>`, `dispute:<id>:won`). A restored amount is never deducted again. If a refund or dispute is over when
 * it is first read, its amount is therefore deducted and restored immediately. A dispute may be restored in part.
 * - All deductions together do not exceed the amount paid. An amount beyond that is deducted later, once another amount
 * has been restored (`dispute:<id>:2`).
 */
import { and, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../../db/open.ts'
import { ledgerTransfers } from '../../db/schema.ts'
import { addCredit, type CreditAccount, PROCESSOR, clawBack, type ClawbackKind } from '../ledger.ts'
import type { PaymentFacts } from './processor.ts'

type Clawback = { kind: ClawbackKind; key: string; cents: number; over: string; backCents: number }

/** Ledger state of a refund or dispute: the cents deducted, the number of deductions, and the cents restored. */
type PostedClawback = { taken: number; times: number; back: number }

const NOTHING_POSTED: PostedClawback = { taken: 0, times: 0, back: 0 }

/** The caller must hold the account's lock. */
export async function settlePayment(
  tx: Transaction,
  account: CreditAccount,
  at: Date,
  facts: PaymentFacts,
): Promise<{ account: CreditAccount; tookBack: boolean }> {
  const { intentId: subject, receivedCents: cents } = facts
  if (cents === 0) return { account, tookBack: false }
  const payment = { idempotencyKey: `payment:${subject}`, kind: 'payment', cents, subject } as const
  let current = await addCredit(tx, account, at, payment)
  const { paid, posted } = await readPosted(tx, account.accountHash, subject)
  const known = (key: string) => posted.get(key) ?? NOTHING_POSTED
  const take = async ({ kind, key }: Clawback, more: number) => {
    const { taken, times, back } = known(key)
    const idempotencyKey = times === 0 ? key : `${key}:${times + 1}`
    current = await clawBack(tx, current, at, { idempotencyKey, kind, cents: more, subject })
    posted.set(key, { taken: taken + more, times: times + 1, back })
  }

  const clawbacks = clawbacksOf(facts)
  for (const one of clawbacks) {
    const { backCents: back } = one
    const { taken, back: backBefore } = known(one.key)
    if (back === 0 || backBefore > 0) continue
    if (taken < back) await take(one, back - taken)
    const idempotencyKey = `${one.key}:${one.over}`
    const given = { idempotencyKey, kind: 'reversal', cents: back, subject } as const
    current = await addCredit(tx, current, at, given)
    posted.set(one.key, { ...known(one.key), back })
  }
  let room = [...posted.values()].reduce((left, { taken, back }) => left - (taken - back), paid)
  let tookBack = false
  for (const one of clawbacks) {
    const missing = Math.min(room, one.cents - known(one.key).taken)
    if (missing <= 0) continue
    await take(one, missing)
    room -= missing
    tookBack = true
  }
  return { account: current, tookBack }
}

/** Returns the refunds, then the disputes, each sorted by ID, so that all processes use the same order. */
function clawbacksOf({ refunds, disputes }: PaymentFacts): Clawback[] {
  const refunded = refunds.map(({ id, cents, failed }) => {
    const backCents = failed ? cents : 0
    return { kind: 'refund', key: `refund:${id}`, cents, over: 'failed', backCents } as const
  })
  const disputed = disputes
    // Excludes inquiries, because they move no money.
    .filter(({ withdrawn, reinstatedCents }) => withdrawn || reinstatedCents > 0)
    .map(({ id, cents, reinstatedCents: backCents }) => {
      return { kind: 'dispute', key: `dispute:${id}`, cents, over: 'won', backCents } as const
    })
  const byKey = (a: Clawback, b: Clawback) => (a.key < b.key ? -1 : 1)
  return [...refunded.toSorted(byKey), ...disputed.toSorted(byKey)].filter(({ cents }) => cents > 0)
}

async function readPosted(
  tx: Transaction,
  accountHash: string,
  intentId: string,
): Promise<{ paid: number; posted: Map<string, PostedClawback> }> {
  const rows = await tx
    .select()
    .from(ledgerTransfers)
    .where(
      and(
        eq(ledgerTransfers.subject, intentId),
        inArray(ledgerTransfers.kind, ['payment', 'refund', 'dispute', 'reversal']),
        eq(ledgerTransfers.accountHash, accountHash),
      ),
    )
  let paid = 0
  const posted = new Map<string, PostedClawback>()
  for (const { kind, idempotencyKey, fromAccount, cents } of rows) {
    const [what, id, step] = idempotencyKey.split(':')
    const key = `${what}:${id}`
    const one = posted.get(key) ?? NOTHING_POSTED
    if (kind === 'payment') paid += cents
    else if (fromAccount === PROCESSOR) posted.set(key, { ...one, back: one.back + cents })
    else {
      const nth = step !== undefined && /^\d+$/.test(step) ? Number(step) : 1
      const times = Math.max(one.times, nth)
      posted.set(key, { ...one, taken: one.taken + cents, times })
    }
  }
  return { paid, posted }
}
