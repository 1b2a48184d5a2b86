import type { CallOptions } from '../options.ts'
import { LIST_PAGE_MAX } from '../../limits.ts'
import { sendTriggerRequest, type TriggersParts } from './send-request.ts'
import type { ListedTrigger, TriggerFilter } from './records.ts'

/**
 * Yields the pages of triggers, newest first. Each trigger appears once, even if other triggers are created or deleted
 * during the iteration.
 */
export async function* triggerPages(
  parts: TriggersParts,
  filter: TriggerFilter,
  options?: CallOptions,
): AsyncGenerator<ListedTrigger[], void, undefined> {
  const query = new URLSearchParams({ limit: String(LIST_PAGE_MAX) })
  for (const [name, value] of Object.entries(filter))
    if (value !== undefined) query.set(name, String(value))
  for (;;) {
    const request = {
      method: 'GET',
      path: `/api/triggers?${query}`,
      repeat: 'idempotent',
    } as const
    const { body, headers } = await sendTriggerRequest<ListedTrigger[]>(parts, request, options)
    yield body
    const cursor = cursorOfNext(headers.get('link'))
    if (cursor === undefined) return
    query.set('cursor', cursor)
  }
}

/**
 * Returns the cursor in a `Link: <…?cursor=…>; rel="next"` header (RFC 8288). Ignores the rest of the URL, so that a
 * response cannot redirect the token to another host.
 */
function cursorOfNext(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1]
  const query = target?.split('?')[1]
  return new URLSearchParams(query).get('cursor') ?? undefined
}
