import {
  type AnyAuditEntry,
  type HashedEntry,
  clientAddressHash,
  detailsHash,
  entryHash,
} from './entry.ts'

export type AuditLogFlaw =
  | 'other_account'
  | 'gap'
  | 'fork'
  | 'entry_changed'
  | 'details_changed'
  | 'client_address_changed'
  | 'truncated'

/** An audit log is invalid. `sequence` is the sequence of the offending entry, or of the missing one. */
export class InvalidAuditLogError extends Error {
  override readonly name = 'InvalidAuditLogError'
  readonly flaw: AuditLogFlaw
  readonly sequence: number
  constructor(flaw: AuditLogFlaw, sequence: number, reason: string) {
    super(`entry ${sequence}: ${reason}`)
    this.flaw = flaw
    this.sequence = sequence
  }
}

/** Position in an audit log: the sequence and hash of an entry. */
export type AuditPosition = Pick<HashedEntry, 'account_hash' | 'sequence'> & {
  sha256: string | null
}

/**
 * Verifies that entries, oldest first, follow each other without gaps, and that none of them was changed.
 * @param after position that the first entry must follow; if omitted, the entries may start anywhere
 * @returns position of the last entry, or `after` if there are no entries
 * @throws {InvalidAuditLogError}
 */
export function verifyAuditEntries(
  entries: readonly AnyAuditEntry[],
  after?: AuditPosition,
): AuditPosition | undefined {
  let last = after
  for (const entry of entries) {
    verifyEntry(entry)
    if (last) requireNext(last, entry)
    else if ((entry.sequence === 1) !== (entry.previous_sha256 === null))
      throw new InvalidAuditLogError('fork', entry.sequence, 'only the first has no predecessor')
    last = entry
  }
  return last && positionOf(last)
}

/**
 * Verifies that a log that ends at `last` contains the entry of an earlier head.
 * @param entries verified entries, which must include the head's entry unless `last` is that entry
 * @throws {InvalidAuditLogError}
 */
export function requireAuditHead(
  head: AuditPosition,
  entries: readonly AnyAuditEntry[],
  last: AuditPosition | undefined,
): void {
  const { sequence, sha256, account_hash } = head
  if (sequence === 0) return
  const found = [...entries, ...(last ? [last] : [])].find((entry) => entry.sequence === sequence)
  if (!found) throw new InvalidAuditLogError('truncated', sequence, 'missing, but a head names it')
  if (found.account_hash !== account_hash)
    throw new InvalidAuditLogError('other_account', sequence, 'belongs to a different account')
  if (found.sha256 !== sha256)
    throw new InvalidAuditLogError('fork', sequence, 'differs from the entry that a head names')
}

function requireNext(last: AuditPosition, entry: AnyAuditEntry): void {
  const { sequence } = entry
  if (entry.account_hash !== last.account_hash)
    throw new InvalidAuditLogError('other_account', sequence, 'belongs to a different account')
  if (sequence !== last.sequence + 1)
    throw new InvalidAuditLogError('gap', last.sequence + 1, `missing; ${sequence} comes next`)
  if (entry.previous_sha256 !== last.sha256)
    throw new InvalidAuditLogError('fork', sequence, 'follows a different entry')
}

function verifyEntry(entry: AnyAuditEntry): void {
  const { sequence, client_address: address, client_address_salt: salt } = entry
  if (entryHash(entry) !== entry.sha256)
    throw new InvalidAuditLogError('entry_changed', sequence, 'does not match its hash')
  if (detailsHash(entry.details) !== entry.details_sha256)
    throw new InvalidAuditLogError('details_changed', sequence, 'its details were changed')
  if (address === null) return
  if (salt === null || clientAddressHash(salt, address) !== entry.client_address_sha256)
    throw new InvalidAuditLogError(
      'client_address_changed',
      sequence,
      'its client address was changed',
    )
}

function positionOf({ account_hash, sequence, sha256 }: AuditPosition): AuditPosition {
  return { account_hash, sequence, sha256 }
}
