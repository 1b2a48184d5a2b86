import { sql } from 'drizzle-orm'
import { type ledgerTransfers, usageDays } from '../db/schema.ts'
import type { Transaction } from './ledger.ts'

type Posted = typeof ledgerTransfers.$inferSelect
type Usage = typeof usageDays.$inferInsert

/** Adds the charges among new rows of the ledger to the sums of their UTC day. In the transaction that added them. */
export async function addUsage(
  tx: Transaction,
  accountHash: string,
  at: Date,
  posted: readonly Posted[],
): Promise<void> {
  const day = at.toISOString().slice(0, 10)
  const sums = new Map<string, Usage>()
  for (const { kind, keyHash, subject, cents, quantity } of posted) {
    if (keyHash === null || subject === null || (kind !== 'write' && kind !== 'execution')) continue
    const name = `${kind} ${keyHash} ${subject}`
    const sum = sums.get(name) ?? { cents: 0, quantity: 0 }
    const of: Omit<Usage, 'cents' | 'quantity'> = { accountHash, day, keyHash, kind, subject }
    sums.set(name, { ...of, cents: sum.cents + cents, quantity: sum.quantity + quantity })
  }
  if (sums.size === 0) return
  await tx
    .insert(usageDays)
    .values([...sums.values()])
    .onConflictDoUpdate({
      target: [
        usageDays.accountHash,
        usageDays.day,
        usageDays.keyHash,
        usageDays.kind,
        usageDays.subject,
      ],
      set: {
        cents: sql`${usageDays.cents} + excluded.cents`,
        quantity: sql`${usageDays.quantity} + excluded.quantity`,
      },
    })
}
