import type { AuditEntry, AuditLogPage } from '../../audit-log/entry.ts'
import type { AuditHead } from '../../audit-log/head.ts'
import type { CallOptions } from '../options.ts'
import type { OriginVerification } from '../verification/origin-verification.ts'
import { LIST_PAGE_MAX } from '../../limits.ts'
import type { CoreCalls } from './core-calls.ts'
import { type Listing, listing } from './listing.ts'

export type { AuditEntry, AuditHead, AuditLogPage }

export type AuditPageQuery = {
  /** @default 'newest' */
  order?: 'newest' | 'oldest'
  page_number?: number
  page_size?: number
}

export type ExportedAuditLog = {
  /** All entries, oldest first. */
  entries: AuditEntry[]
  /** The signed head, which covers the entries. */
  statement: string
}

export type VerifiedAuditLog = ExportedAuditLog & {
  /** The head that the origin signed. Keep its `statement` to detect later truncation. */
  head: AuditHead
}

/** Reads the audit log of the account (docs/audit-log.md). Requires the account key or the admin wallet. */
export type AuditLogOperations = {
  /** Returns one page of entries with the signed head. */
  page(query?: AuditPageQuery, options?: CallOptions): Promise<AuditLogPage>
  /**
   * Lists all entries. Does not verify them.
   * @example
   * for await (const { at, operation, actor } of client.auditLog.list()) console.log(at, operation, actor.kind)
   */
  list(query?: Pick<AuditPageQuery, 'order'>, options?: CallOptions): Listing<AuditEntry>
  /**
   * Fetches all entries and the signed head. Does not verify them.
   * @example
   * const { entries, statement } = await client.auditLog.export()
   */
  export(options?: CallOptions): Promise<ExportedAuditLog>
  /**
   * Fetches all entries, and verifies the hash chain and the signature of the head.
   * @param since statement of a head from an earlier call; entries up to it must be unchanged
   * @example
   * const { head, statement } = await client.auditLog.verify({ since: keptStatement })
   * @throws {AuditLogRefused} if entries were changed, removed or reordered, or the head is not signed by the origin
   */
  verify(fields?: { since?: string }, options?: CallOptions): Promise<VerifiedAuditLog>
}

type AuditLogParts = { calls: CoreCalls; verification: OriginVerification }

export function auditLogOperations({ calls, verification }: AuditLogParts): AuditLogOperations {
  const page = (query: AuditPageQuery = {}, options?: CallOptions) =>
    calls.read<AuditLogPage>('audit_log', { ...query }, options)

  /** Starts with the oldest page, so that a new entry does not move others to another page. */
  async function* oldestFirst(options?: CallOptions) {
    for (let number = 0; ; number++) {
      const read = await page(
        { order: 'oldest', page_number: number, page_size: LIST_PAGE_MAX },
        options,
      )
      yield read
      if ((number + 1) * LIST_PAGE_MAX >= read.head.sequence) return
    }
  }

  /** Entries that are appended during the iteration move others to the next page, so entries may repeat. */
  async function* newestFirst(options?: CallOptions) {
    let next = Number.POSITIVE_INFINITY
    for (let number = 0; next > 1; number++) {
      const { entries } = await page({ page_number: number, page_size: LIST_PAGE_MAX }, options)
      if (entries.length === 0) return
      yield entries.filter(({ sequence }) => sequence < next)
      next = Math.min(next, entries.at(-1)!.sequence)
    }
  }

  async function* entriesOf(order: AuditPageQuery['order'], options?: CallOptions) {
    if (order !== 'oldest') return yield* newestFirst(options)
    for await (const { entries } of oldestFirst(options)) yield entries
  }

  async function exportAll(options?: CallOptions): Promise<ExportedAuditLog> {
    const entries: AuditEntry[] = []
    let last: AuditLogPage | undefined
    for await (const read of oldestFirst(options)) {
      entries.push(...read.entries)
      last = read
    }
    return { entries, statement: last!.head.statement }
  }

  return {
    page,
    export: exportAll,
    list: ({ order } = {}, options) => listing(() => entriesOf(order, options)),
    verify: async ({ since } = {}, options) => {
      const { entries, statement } = await exportAll(options)
      const head = await verification.auditLog({ entries, statement, since }, options?.signal)
      return { head, statement, entries }
    },
  }
}
