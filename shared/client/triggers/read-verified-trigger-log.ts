import { LIST_PAGE_MAX } from '../../limits.ts'
import type { TriggerLogEntry, TriggerLogPage } from '../../wire/trigger-log.ts'

export type TriggerLogQuery = {
  /** @default 'newest' */
  order?: 'newest' | 'oldest'
  page_number?: number
  page_size?: number
  /** Only changes of this trigger. */
  trigger_id?: string
  operation?: TriggerLogEntry['operation']
  /** Only changes by actors of this kind. */
  actor?: TriggerLogEntry['actor']['kind']
}

export type TriggerLogHead = TriggerLogPage['head']

export type ExportedTriggerLog = { entries: TriggerLogEntry[]; head: TriggerLogHead }

/**
 * Reads the whole log, and verifies it.
 * @param since earlier head, whose entry must be unchanged
 * @throws {AuditLogRefused} if entries were changed, removed or inserted, or do not end at the returned head
 */
export async function readVerifiedTriggerLog(
  page: (query: TriggerLogQuery) => Promise<TriggerLogPage>,
  since?: TriggerLogHead,
): Promise<ExportedTriggerLog> {
  const entries: ExportedTriggerLog['entries'] = []
  let head: TriggerLogHead | undefined
  // Newest first, because the service deletes the oldest entries.
  for (let number = 0; ; number++) {
    const read = await page({ page_number: number, page_size: LIST_PAGE_MAX })
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
}
