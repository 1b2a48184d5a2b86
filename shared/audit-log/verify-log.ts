import type { JwsKey } from '../crypto/jws.ts'
import type { AuditEntry } from './entry.ts'
import { type AuditHead, readAuditHead } from './head.ts'
import {
  type AuditPosition,
  InvalidAuditLogError,
  requireAuditHead,
  verifyAuditEntries,
} from './verify-entries.ts'

export type SignedAuditLog = {
  /** All entries, oldest first. */
  entries: readonly AuditEntry[]
  /** Signed head of the log. */
  statement: string
  /** Signed head that was kept earlier. Its entry must be in the log, unchanged. */
  since?: string | undefined
}

/**
 * Verifies a whole audit log with its signed head. The log may have entries after the head.
 * @throws {InvalidAuditLogError | InvalidJwsError}
 */
export async function verifyAuditLog(
  { entries, statement, since }: SignedAuditLog,
  key: JwsKey,
): Promise<AuditHead> {
  const head = await readAuditHead(statement, key)
  const heads = [head, ...(since === undefined ? [] : [await readAuditHead(since, key)])]
  const start = { account_hash: head.account_hash, sequence: 0, sha256: null }
  const end = verifyAuditEntries(entries, start)
  for (const each of heads) {
    if (each.account_hash !== head.account_hash)
      throw new InvalidAuditLogError(
        'other_account',
        each.sequence,
        'the head belongs to a different account',
      )
    requireAuditHead(positionOf(each), entries, end)
  }
  return head
}

function positionOf({ account_hash, sequence, entry_sha256 }: AuditHead): AuditPosition {
  return { account_hash, sequence, sha256: entry_sha256 }
}
