/** The log of changes of the user's triggers (`docs/audit-log.md`). */
import type { TriggerLogEntry, TriggerLogPage } from '../../wire/trigger-log.ts'
import type { CallOptions } from '../options.ts'
import {
  type ExportedTriggerLog,
  readVerifiedTriggerLog,
  type TriggerLogHead,
  type TriggerLogQuery,
} from './read-verified-trigger-log.ts'
import { triggerBody, type TriggersParts } from './send-request.ts'

export type { ExportedTriggerLog, TriggerLogEntry, TriggerLogHead, TriggerLogPage, TriggerLogQuery }

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
    verify: ({ since } = {}, options) =>
      readVerifiedTriggerLog((query) => page(query, options), since),
  }
}
