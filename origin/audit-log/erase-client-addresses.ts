import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Transaction } from '../db/open.ts'
import { auditEntries, chainWrites } from '../db/schema.ts'

/**
 * Erases the client addresses of an account. The hashes of the entries stay valid, because they cover a salted hash of
 * the address. The salt is erased with the address, so the address cannot be guessed from its hash.
 */
export async function eraseClientAddresses(tx: Transaction, accountHash: string): Promise<void> {
  await tx
    .update(auditEntries)
    .set({ clientAddress: null })
    .where(and(eq(auditEntries.accountHash, accountHash), isNotNull(auditEntries.clientAddress)))
  await tx
    .update(chainWrites)
    .set({ audit: sql`jsonb_set(${chainWrites.audit}, '{clientAddress}', 'null')` })
    .where(sql`${chainWrites.audit} ->> 'accountHash' = ${accountHash}`)
}
