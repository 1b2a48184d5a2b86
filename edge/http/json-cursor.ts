import type { z } from 'zod'
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'

/** Encodes the position of the last item on a page, as JSON in base64url. A cursor is opaque to clients. */
export function encodeJsonCursor(position: unknown): string {
  return encodeBase64url(new TextEncoder().encode(JSON.stringify(position)))
}

/** Returns `undefined` for a text that this service did not issue for such a list. */
export function decodeJsonCursor<Position>(
  schema: z.ZodType<Position>,
  cursor: string,
): Position | undefined {
  const bytes = decodeBase64url(cursor)
  if (!bytes) return undefined
  return schema.safeParse(tryParseJson(new TextDecoder().decode(bytes))).data
}

/** @throws {ApiError} 422 if the cursor was not issued by this service */
export function requireJsonCursor<Position>(
  schema: z.ZodType<Position>,
  cursor: string | undefined,
): Position | undefined {
  if (cursor === undefined) return undefined
  const position = decodeJsonCursor(schema, cursor)
  if (position !== undefined) return position
  throw new ApiError(
    422,
    'cursor: not issued by this service.',
    'Send next_cursor of the previous page unchanged, or omit cursor to get the newest entries.',
  )
}
