import type { Transaction } from '../db/open.ts'
import { capOf } from './budget-name.ts'
import { type BudgetBook, payableOf } from './lease-parts.ts'
import { type ChargeKind, creditsOf, post, REVENUE } from './ledger.ts'

export type Charge = {
  kind: ChargeKind
  keyHash: string
  subject: string
  cents: number
  quantity: number
}

export type Settled = {
  cents: number
  byKey: ReadonlyMap<string, number>
  /** Cents that the lease, the available credit and the spending caps did not cover. */
  unpaidCents: number
}

/** Posts only what the lease, the available credit and the spending caps cover. */
export async function settleCharges(
  tx: Transaction,
  order: { accountHash: string; leaseId: string; sequence: number; charges: readonly Charge[] },
  at: Date,
  limits: { payable: number; books: ReadonlyMap<string, BudgetBook> },
): Promise<Settled> {
  let { payable } = limits
  let unpaidCents = 0
  const byKey = new Map<string, number>()
  const transfers = order.charges.flatMap((charge, index) => {
    const { keyHash } = charge
    const book = limits.books.get(capOf(keyHash))
    const before = byKey.get(keyHash) ?? 0
    const underCap = book ? payableOf(book) - before : Number.POSITIVE_INFINITY
    const cents = Math.min(charge.cents, payable, underCap)
    payable -= cents
    unpaidCents += charge.cents - cents
    if (cents === 0) return []
    byKey.set(keyHash, before + cents)
    const idempotencyKey = `charge:${order.leaseId}:${order.sequence}:${index}`
    const from = creditsOf(order.accountHash)
    return [{ ...charge, idempotencyKey, from, to: REVENUE, cents }]
  })
  const cents = -(await post(tx, order.accountHash, at, transfers))
  return { cents, byKey, unpaidCents }
}
