import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { AuditEntry, AuditLogPage } from '../../shared/audit-log/entry.ts'
import { AUDIT_HEAD_TYPE, type AuditHead } from '../../shared/audit-log/head.ts'
import type { Account } from '../accounts/account.ts'
import { wasTransferred } from '../accounts/ownership-mode.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import type { Database } from '../db/open.ts'
import { auditEntries } from '../db/schema.ts'
import type { Keyring } from '../keys/keyring.ts'
import { JwsSigner } from '../receipts/jws-signer.ts'
import { lastEntry } from './append-entry.ts'
import {
  type AuditContext,
  type AuditedRequest,
  openClientAddress,
  sealContext,
} from './context.ts'

/** Event of an ownership transfer. A contract wallet can send it with other changes in one transaction. */
const TRANSFER = 'chain_secured_account_ownership_transferred'

export type AuditLogOptions = {
  db: Database
  keyring: Pick<Keyring, 'auditAddressKey' | 'receiptKey'>
  /** 32 bytes as lower-case hex. */
  composeHash: string
  now: () => number
}

type PageBounds = { order: 'newest' | 'oldest'; offset: number; limit: number }

/** Reads audit logs, and signs their heads. Entries are appended by `appendEntry`, with the change that they describe. */
export class AuditLog {
  readonly #db: Database
  readonly #addressKey: Uint8Array
  readonly #signer: JwsSigner
  readonly #composeHash: string
  readonly #now: () => number

  constructor({ db, keyring, composeHash, now }: AuditLogOptions) {
    this.#db = db
    this.#addressKey = keyring.auditAddressKey()
    this.#signer = new JwsSigner(keyring.receiptKey(), AUDIT_HEAD_TYPE)
    this.#composeHash = composeHash
    this.#now = now
  }

  contextOf(request: AuditedRequest): AuditContext {
    return sealContext(this.#addressKey, request)
  }

  /**
   * Returns a page of entries. The head is read first, so every entry of the page is covered by it.
   * @throws {DatabaseUnavailableError}
   */
  async page(account: Account, { order, offset, limit }: PageBounds): Promise<AuditLogPage> {
    const { hash } = account
    const last = await fromDatabase(lastEntry(this.#db, hash))
    const total = last?.sequence ?? 0
    const first = order === 'oldest' ? offset + 1 : Math.max(1, total - offset - limit + 1)
    const end = order === 'oldest' ? Math.min(total, offset + limit) : total - offset
    const rows = first > end ? [] : await this.#rows(hash, first, end)
    const visibleFrom = await this.#firstVisibleAddress(account)
    const entries = rows.map((row) => this.#toRecord(row, row.sequence >= visibleFrom))
    if (order === 'newest') entries.reverse()
    return { entries, head: this.#head(hash, total, last?.hash ?? null) }
  }

  #rows(accountHash: string, first: number, end: number) {
    const { sequence } = auditEntries
    const isOwn = eq(auditEntries.accountHash, accountHash)
    return fromDatabase(
      this.#db
        .select()
        .from(auditEntries)
        .where(and(isOwn, gte(sequence, first), lte(sequence, end)))
        .orderBy(sequence),
    )
  }

  /**
   * A new owner does not see from where a former owner worked. As long as the transfer to the current owner is not
   * logged, because its block is not final, no address is shown.
   */
  async #firstVisibleAddress(account: Account): Promise<number> {
    if (!wasTransferred(account)) return 1
    const transfer = JSON.stringify({ events: [{ event: TRANSFER }] })
    const { accountHash, sequence, details } = auditEntries
    const [last] = await fromDatabase(
      this.#db
        .select({ sequence, details })
        .from(auditEntries)
        .where(and(eq(accountHash, account.hash), sql`${details} @> ${transfer}::jsonb`))
        .orderBy(desc(sequence))
        .limit(1),
    )
    const owner = last && ownerAfter(last.details)?.toLowerCase()
    return owner === account.adminWallet.toLowerCase() ? last!.sequence : Number.POSITIVE_INFINITY
  }

  #toRecord(row: typeof auditEntries.$inferSelect, showsAddress: boolean): AuditEntry {
    const { entry, details, clientAddress, hash } = row
    const { account_hash: accountHash, request_id: requestId } = entry
    const client =
      clientAddress && showsAddress
        ? openClientAddress(this.#addressKey, { accountHash, requestId }, clientAddress)
        : undefined
    return {
      ...entry,
      sha256: hash,
      client_address: client?.address ?? null,
      client_address_salt: client?.salt ?? null,
      details,
    }
  }

  #head(accountHash: string, sequence: number, sha256: string | null): AuditLogPage['head'] {
    const payload: AuditHead = {
      v: 1,
      account_hash: accountHash,
      sequence,
      entry_sha256: sha256,
      signed_at: new Date(this.#now()).toISOString(),
      compose_hash: this.#composeHash,
    }
    return { sequence, sha256, statement: this.#signer.sign(payload) }
  }
}

/** Returns the owner after the last transfer in an entry. */
function ownerAfter({ events }: Record<string, unknown>): string | undefined {
  const all = events as readonly { event: string; admin_wallet?: string }[]
  return all.findLast(({ event }) => event === TRANSFER)?.admin_wallet
}
