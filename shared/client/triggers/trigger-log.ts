/** The log of changes of the user's triggers (`docs/audit-log.md`). */
import { LIST_PAGE_MAX } from '../../limits.ts'
import type { TriggerLogEntry, TriggerLogPage } from '../../wire/trigger-log.ts'
import type { CallOptions } from '../options.ts'
import { triggerBody, type TriggersParts } from './send-request.ts'

export type { TriggerLogEntry, TriggerLogPage }

export type TriggerLogQuery = {
  /** @default 'newest' */
  order?: 'newest' | 'oldest'
  page_number?: number
  page_size?: number
}

export type TriggerLogHead = TriggerLogPage['head']

export type ExportedTriggerLog = { entries: TriggerLogEntry[]; head: TriggerLogHead }

/** Operations of `client.triggers.auditLog`. */
export type TriggerLogOperations = {
  /** Returns one page of entries with the head of the log. */
  page(query?: TriggerLogQuery, options?: CallOptions): Promise<TriggerLogPage>
  /**
   * Fetches all entries, and verifies that they form a hash chain. Returns them oldest first, with the head of the
   * chain.
   * @param since head of an earlier call; its entry must be unchanged
   * @throws {AuditLogRefused} if entries were changed, removed or inserted, or do not end at the returned head
   * @example
   * const { head } = await client.triggers.auditLog.verify({ since: keptHead })
   */
  verify(fields?: { since?: TriggerLogHead }, options?: CallOptions): Promise<ExportedTriggerLog>
}

export function triggerLogOperations(parts: TriggersParts): TriggerLogOperations {
  const page = (query: TriggerLogQuery = {}, options?: CallOptions) => {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) params.set(name, String(value))
    const path = `/api/audit-log?${params}`
    return triggerBody<TriggerLogPage>(
      parts,
      { method: 'GET', path, repeat: 'idempotent' },
      options,
    )
  }
  return {
    page,
    verify: async ({ since } = {}, options) => {
      const entries: TriggerLogEntry[] = []
      let head: TriggerLogHead | undefined
      // Newest first, because the service deletes the oldest entries.
      for (let number = 0; ; number++) {
        const read = await page({ page_number: number, page_size: LIST_PAGE_MAX }, options)
        // Later pages can have later heads, because entries may be appended in the meantime.
        head ??= read.head
        const oldest = entries.at(-1)?.sequence ?? Number.POSITIVE_INFINITY
        entries.push(...read.entries.filter(({ sequence }) => sequence < oldest))
        if (read.entries.length < LIST_PAGE_MAX) break
      }
      entries.reverse()
      const { verifyTriggerLog } = await import('../verification/verifier.ts')
      verifyTriggerLog(entries, { head: head!, since })
      return { entries, head: head! }
    },
  }
}
