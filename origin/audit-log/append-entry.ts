import { desc, eq } from 'drizzle-orm'
import { detailsHash, entryHash, type HashedEntry } from '../../shared/audit-log/entry.ts'
import type { Database, Transaction } from '../db/open.ts'
import { auditEntries } from '../db/schema.ts'
import type { AuditContext } from './context.ts'

export type NewEntry = {
  context: AuditContext
  /** Identifies the change. A second entry with the same ID is not appended. */
  sourceId: string
  outcome: HashedEntry['outcome']
  subject: HashedEntry['subject']
  /** Must not contain secrets. */
  details: Record<string, unknown>
}

/** Context of an entry, and the ID of its change. */
export type ChangeAudit = Pick<NewEntry, 'context' | 'sourceId'>

/**
 * Appends an entry to the log of an account. The primary key (account, sequence) makes concurrent transactions of all
 * processes append one after the other, so this may wait for another transaction. To prevent deadlocks, it must be the
 * last statement of the transaction that makes the change, or be called under the account's credit lock, or precede
 * locks under which no transaction appends.
 * @returns false if the change was already logged
 */
export async function appendEntry(
  tx: Database | Transaction,
  entry: NewEntry,
  at: Date,
): Promise<boolean> {
  const { sourceId } = entry
  for (;;) {
    const row = toRow(entry, at, await lastEntry(tx, entry.context.accountHash))
    const added = await tx
      .insert(auditEntries)
      .values(row)
      .onConflictDoNothing()
      .returning({ sequence: auditEntries.sequence })
    if (added.length > 0) return true
    if (await isLogged(tx, sourceId)) return false
  }
}

async function isLogged(tx: Database | Transaction, sourceId: string): Promise<boolean> {
  return (await tx.$count(auditEntries, eq(auditEntries.sourceId, sourceId))) > 0
}

export async function lastEntry(tx: Database | Transaction, accountHash: string) {
  const [last] = await tx
    .select({ sequence: auditEntries.sequence, hash: auditEntries.hash, at: auditEntries.at })
    .from(auditEntries)
    .where(eq(auditEntries.accountHash, accountHash))
    .orderBy(desc(auditEntries.sequence))
    .limit(1)
  return last
}

function toRow(
  { context, sourceId, outcome, subject, details }: NewEntry,
  now: Date,
  last: Awaited<ReturnType<typeof lastEntry>>,
) {
  const { accountHash, operation, actor, requestId, clientAddress } = context
  const sequence = (last?.sequence ?? 0) + 1
  // Clocks of processes differ. The times of a log never decrease.
  const at = last && last.at > now ? last.at : now
  const entry: HashedEntry = {
    v: 1,
    account_hash: accountHash,
    sequence,
    at: at.toISOString(),
    operation,
    outcome,
    actor,
    subject,
    request_id: requestId,
    client_address_sha256: clientAddress?.sha256 ?? null,
    details_sha256: detailsHash(details),
    previous_sha256: last?.hash ?? null,
  }
  return {
    accountHash,
    sequence,
    sourceId,
    at,
    operation,
    entry,
    details,
    clientAddress: clientAddress && Buffer.from(clientAddress.sealed, 'base64'),
    hash: entryHash(entry),
  }
}
