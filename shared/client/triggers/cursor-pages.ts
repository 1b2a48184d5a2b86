import type { CallOptions } from '../options.ts'
import { triggerBody, type TriggersParts } from './send-request.ts'

const PAGE_ITEMS = 50

type CursorPage<Name extends string, Item> = Record<Name, Item[]> & { next_cursor: string | null }
type QueryValue = string | number | boolean | Date | undefined

/**
 * Yields the pages of a list that has cursors.
 * @param name field of the response with the items
 * @param limit maximum number of items on all pages together
 */
export async function* cursorPages<Name extends string, Item>(
  parts: TriggersParts,
  { path, name, limit = Infinity }: { path: string; name: Name; limit?: number | undefined },
  filter: Readonly<Record<string, QueryValue>>,
  options?: CallOptions,
): AsyncGenerator<Item[], void, undefined> {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(filter))
    if (value !== undefined)
      query.set(key, value instanceof Date ? value.toISOString() : String(value))
  for (let left = limit; left > 0;) {
    query.set('limit', String(Math.min(left, PAGE_ITEMS)))
    const request = { method: 'GET', path: `${path}?${query}`, repeat: 'idempotent' } as const
    const page = await triggerBody<CursorPage<Name, Item>>(parts, request, options)
    left -= page[name].length
    yield page[name]
    if (page.next_cursor === null) return
    query.set('cursor', page.next_cursor)
  }
}
