/**
 * What refunds and disputes take of a payment. They may be read in any order, twice, or by two processes of which one
 * has older answers, and the ledger must end the same:
 *
 * - Each refund or dispute is taken once, and given back once (`refund:<id>`, `refund:<id>:failed`, `dispute:<id>`,
 *   `dispute:<id>:won`). What was given back is never taken again, whatever an older answer says. For that, one which is
 *   first seen when it is over already is taken and given back at once.
 * - All of them together take no more than was paid. What did not fit is taken once there is room (`dispute:<id>:2`).
 */
import { and, eq, inArray } from 'drizzle-orm'
import { ledgerTransfers } from '../../db/schema.ts'
import {
  addCredit,
  type CreditAccount,
  PROCESSOR,
  takeBack,
  type TakenBackKind,
  type Transaction,
} from '../ledger.ts'
import type { PaymentFacts } from './processor.ts'

/** A refund or a dispute that concerns money. */
type Return = { kind: TakenBackKind; key: string; cents: number; over: string | undefined }

/** What the ledger has of one: cents that were taken in so many times, and whether they were given back. */
type Posted = { taken: number; times: number; isOver: boolean }

/** Gives a payment's credit once, and takes back what went back. The caller holds the account's lock. */
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
  const known = (key: string) => posted.get(key) ?? { taken: 0, times: 0, isOver: false }
  const take = async ({ kind, key }: Return, taken: number, times: number) => {
    const idempotencyKey = times === 0 ? key : `${key}:${times + 1}`
    current = await takeBack(tx, current, at, { idempotencyKey, kind, cents: taken, subject })
  }

  const returns = returnsOf(facts)
  for (const one of returns) {
    const { taken, times, isOver } = known(one.key)
    if (one.over === undefined || isOver) continue
    if (taken === 0) await take(one, one.cents, times)
    const idempotencyKey = `${one.key}:${one.over}`
    const given = { idempotencyKey, kind: 'reversal', cents: taken || one.cents, subject } as const
    current = await addCredit(tx, current, at, given)
    posted.set(one.key, { taken: 0, times, isOver: true })
  }
  let room = [...posted.values()].reduce((left, one) => left - (one.isOver ? 0 : one.taken), paid)
  let tookBack = false
  for (const one of returns) {
    const { taken, times, isOver } = known(one.key)
    const missing = isOver ? 0 : Math.min(room, one.cents - taken)
    if (missing <= 0) continue
    await take(one, missing, times)
    room -= missing
    tookBack = true
  }
  return { account: current, tookBack }
}

/** Refunds first, each kind by its id: the same order wherever they are read. */
function returnsOf({ refunds, disputes }: PaymentFacts): Return[] {
  const refunded = refunds.map(({ id, cents, returned }) => {
    const over = returned ? 'failed' : undefined
    return { kind: 'refund', key: `refund:${id}`, cents, over } as const
  })
  const disputed = disputes
    // An inquiry has moved no money.
    .filter(({ withdrawn, reinstated }) => withdrawn || reinstated)
    .map(({ id, cents, reinstated }) => {
      const over = reinstated ? 'won' : undefined
      return { kind: 'dispute', key: `dispute:${id}`, cents, over } as const
    })
  const byKey = (a: Return, b: Return) => (a.key < b.key ? -1 : 1)
  return [...refunded.toSorted(byKey), ...disputed.toSorted(byKey)].filter(({ cents }) => cents > 0)
}

/** What the ledger has of a payment. */
async function readPosted(
  tx: Transaction,
  accountHash: string,
  intentId: string,
): Promise<{ paid: number; posted: Map<string, Posted> }> {
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
  const posted = new Map<string, Posted>()
  for (const { kind, idempotencyKey, fromAccount, cents } of rows) {
    const [what, id, step] = idempotencyKey.split(':')
    const key = `${what}:${id}`
    const one = posted.get(key) ?? { taken: 0, times: 0, isOver: false }
    if (kind === 'payment') paid += cents
    else if (fromAccount === PROCESSOR) posted.set(key, { ...one, isOver: true })
    else {
      const nth = step !== undefined && /^\d+$/.test(step) ? Number(step) : 1
      const times = Math.max(one.times, nth)
      posted.set(key, { ...one, taken: one.taken + cents, times })
    }
  }
  return { paid, posted }
}
