import { type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../db/open.ts'
import { type ledgerTransfers, usageDays } from '../db/schema.ts'

type TransferRow = typeof ledgerTransfers.$inferSelect

/** Runs in the transaction that posted the charges. Ignores other kinds of transfers. */
export async function addUsage(
  tx: Transaction,
  accountHash: string,
  at: Date,
  posted: readonly TransferRow[],
): Promise<void> {
  const charges = posted.flatMap(({ kind, keyHash, subject, cents, quantity }) =>
    keyHash !== null && subject !== null && (kind === 'write' || kind === 'execution')
      ? [
          sql`(${kind}::text, ${keyHash}::text, ${subject}::text, ${cents}::bigint, ${quantity}::int)`,
        ]
      : [],
  )
  if (charges.length === 0) return
  await tx.execute(usageUpsert(accountHash, at, sql`VALUES ${sql.join(charges, sql`, `)}`))
}

/** @param charges a query with the columns kind, key hash, subject, cents and quantity */
export function usageUpsert(accountHash: string, at: Date, charges: SQL): SQL {
  const day = at.toISOString().slice(0, 10)
  return sql`
    INSERT INTO ${usageDays} (account_hash, day, key_hash, kind, subject, cents, quantity)
    SELECT ${accountHash}, ${day}::date, c.key_hash, c.kind, c.subject, sum(c.cents), sum(c.quantity)
    FROM (${charges}) c (kind, key_hash, subject, cents, quantity)
    GROUP BY c.key_hash, c.kind, c.subject
    ON CONFLICT (account_hash, day, key_hash, kind, subject) DO UPDATE
    SET cents = usage_days.cents + excluded.cents, quantity = usage_days.quantity + excluded.quantity`
}
