import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Transaction } from '../db/open.ts'
import { auditEntries, chainWrites } from '../db/schema.ts'
import { appendEntry, type NewEntry } from './append-entry.ts'

/**
 * Appends the entry of the erasure, and erases the client addresses of its account. The hashes of the entries stay valid,
 * because they cover a salted hash of the address. The salt is erased with the address, so the address cannot be guessed
 * from its hash. The order matters: each statement waits for the transactions that are appending an entry with an
 * address, so the last one sees their entries.
 */
export async function eraseClientAddresses(
  tx: Transaction,
  entry: NewEntry,
  at: Date,
): Promise<void> {
  const { accountHash } = entry.context
  await tx
    .update(chainWrites)
    .set({ audit: sql`jsonb_set(${chainWrites.audit}, '{clientAddress}', 'null')` })
    .where(sql`${chainWrites.audit} ->> 'accountHash' = ${accountHash}`)
  await appendEntry(tx, entry, at)
  await tx
    .update(auditEntries)
    .set({ clientAddress: null })
    .where(and(eq(auditEntries.accountHash, accountHash), isNotNull(auditEntries.clientAddress)))
}
