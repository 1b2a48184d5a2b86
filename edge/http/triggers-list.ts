import { z } from 'zod'
import { LIST_PAGE_MAX } from '../../shared/limits.ts'
import { integerText } from '../../shared/wire/fields.ts'
import { listedTrigger, TRIGGER_KINDS } from '../../shared/wire/trigger.ts'
import { type ListCursor, listTriggers } from '../triggers/trigger-index.ts'
import { withActivity } from '../triggers/listed-activity.ts'
import type { ApiOperation } from './api-operation.ts'
import { decodeJsonCursor, encodeJsonCursor } from './json-cursor.ts'

const cursorSchema = z.tuple([z.int().min(0), z.string().max(64)])

export const triggersListQuery = z.object({
  limit: integerText
    .transform((limit) => Math.min(Math.max(limit, 1), LIST_PAGE_MAX))
    .optional()
    .meta({
      description: `Triggers per page, 1 to ${LIST_PAGE_MAX}. If omitted, all triggers are returned.`,
    }),
  cursor: z
    .string()
    .max(256)
    .transform((text, context) => {
      const known = decodeListCursor(text)
      if (known) return known
      context.issues.push({ code: 'custom', message: 'not issued by this service', input: text })
      return z.NEVER
    })
    .optional()
    .meta({ description: 'Start of the page, from the `Link` header of the previous page.' }),
  kind: z.enum(TRIGGER_KINDS).optional(),
  enabled: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
})

/** The response is either the complete list, or one page with a `Link` header that refers to the next page. */
export const listTriggersOperation: ApiOperation<undefined, z.infer<typeof triggersListQuery>> = {
  method: 'get',
  path: '/api/triggers',
  id: 'list_triggers',
  scope: 'triggers:read',
  summary:
    'Lists your triggers with figures of their runs, newest first, either all at once or in linked pages.',
  query: triggersListQuery,
  success: {
    status: 200,
    schema: z.array(listedTrigger),
    headers: ['x-total-count', 'link'],
  },
  handle: async (c, { user, query }) => {
    const { cursor, kind, enabled } = query
    const { db, now, settings } = c.var.services
    const limit = query.limit ?? (cursor && LIST_PAGE_MAX)
    const list = await listTriggers(db, now(), user.id, { limit, kind, enabled, after: cursor })
    c.header('x-total-count', String(list.total))
    if (list.next) {
      const url = new URL('/api/triggers', settings.PUBLIC_URL)
      for (const [name, value] of Object.entries({ kind, enabled, limit }))
        if (value !== undefined) url.searchParams.set(name, String(value))
      url.searchParams.set('cursor', encodeListCursor(list.next))
      c.header('link', `<${url.href}>; rel="next"`)
    }
    const { triggers } = await withActivity(c.env, user.id, list.triggers, now())
    return c.json(triggers)
  },
}

export function encodeListCursor({ createdAt, id }: ListCursor): string {
  return encodeJsonCursor([createdAt, id])
}

function decodeListCursor(cursor: string): ListCursor | undefined {
  const position = decodeJsonCursor(cursorSchema, cursor)
  return position && { createdAt: position[0], id: position[1] }
}
