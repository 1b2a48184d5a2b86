import type { Transaction } from '../db/open.ts'
import { capBudgetName } from './budget-names.ts'
import { type BudgetBook, payableAmount } from './sub-allocations.ts'
import { type ChargeKind, creditsLedgerAccount, postTransfers, REVENUE } from './ledger.ts'

export type Charge = {
  kind: ChargeKind
  keyHash: string
  subject: string
  cents: number
  quantity: number
}

export type ChargeSettlement = {
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
): Promise<ChargeSettlement> {
  let { payable } = limits
  let unpaidCents = 0
  const byKey = new Map<string, number>()
  const transfers = order.charges.flatMap((charge, index) => {
    const { keyHash } = charge
    const book = limits.books.get(capBudgetName(keyHash))
    const before = byKey.get(keyHash) ?? 0
    const underCap = book ? payableAmount(book) - before : Number.POSITIVE_INFINITY
    const cents = Math.min(charge.cents, payable, underCap)
    payable -= cents
    unpaidCents += charge.cents - cents
    if (cents === 0) return []
    byKey.set(keyHash, before + cents)
    const idempotencyKey = `charge:${order.leaseId}:${order.sequence}:${index}`
    const from = creditsLedgerAccount(order.accountHash)
    return [{ ...charge, idempotencyKey, from, to: REVENUE, cents }]
  })
  const cents = -(await postTransfers(tx, order.accountHash, at, transfers))
  return { cents, byKey, unpaidCents }
}
