import { inArray } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { creditAccounts } from '../db/schema.ts'

/**
 * Reads the balances of accounts in cents, without a lock and without settling charges. Reserved credit and unsettled
 * charges are not deducted. Accounts that never used their credit are missing.
 */
export async function storedBalances(
  db: Database,
  accountHashes: readonly string[],
): Promise<Map<string, number>> {
  if (accountHashes.length === 0) return new Map()
  const rows = await db
    .select({ hash: creditAccounts.accountHash, cents: creditAccounts.balanceCents })
    .from(creditAccounts)
    .where(inArray(creditAccounts.accountHash, [...accountHashes]))
  return new Map(rows.map(({ hash, cents }) => [hash, cents]))
}
