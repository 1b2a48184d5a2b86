import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { notJson, parseJson, requireJsonType, validate } from '../../shared/json-body.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../shared/limits.ts'
import type { BodyHolder } from '../admission/body-rooms.ts'
import { readBody } from './body/read-body.ts'
import { withoutNullMembers } from '../../shared/without-null-members.ts'
import { readMembers, type Reading } from './json/members.ts'
import { NotJson } from './json/scan.ts'

export type RequestBody<Body> = {
  /** Limit of a body with source or params; overrides `OPERATION_BODY_MAX_BYTES`. */
  maxBytes?: number
  /** An empty body is treated as `{}`. */
  optional?: boolean
} & (ParsedBody<Body> | UnparsedBody)

type ParsedBody<Body> = {
  schema: z.ZodType<Body>
  /** Properties to read of a body that may be large; if absent, the whole body is parsed. */
  members?: Reading
}

/** Raw bytes, because parsing would block the main thread; the schema is only for documentation. */
type UnparsedBody = { schema: z.ZodType; isUnparsed: true }

/** @throws {ApiError} 400, 413, 415 or 422, and any error of `readBody` */
export async function bodyOf<Body>(
  context: Context,
  body: RequestBody<Body> | undefined,
  holder: BodyHolder,
): Promise<{ value: Body; bytes: Uint8Array }> {
  // Safe: an operation without a body has `undefined` as its type.
  if (!body) return { value: undefined as Body, bytes: new Uint8Array() }
  const bounds = { maxBytes: body.maxBytes ?? OPERATION_BODY_MAX_BYTES, holder }
  const bytes = await readBody(context, bounds)
  const type = context.req.header('content-type') ?? null
  if ('isUnparsed' in body) {
    requireJsonType(type)
    return { value: bytes as Body, bytes }
  }
  const json = body.members
    ? membersIn(bytes, type, body.members)
    : valueIn(bytes, type, body.optional)
  return { value: validate(body.schema, withoutNullMembers(json)), bytes }
}

function valueIn(bytes: Uint8Array, type: string | null, optional?: boolean): unknown {
  return parseJson(decoded(bytes), type, optional)
}

function membersIn(bytes: Uint8Array, type: string | null, members: Reading): unknown {
  if (!isUtf8(bytes)) throw notUtf8()
  requireJsonType(type)
  try {
    return readMembers(withoutMark(bytes), members)
  } catch (error) {
    if (error instanceof NotJson) throw notJson(error.message)
    throw error
  }
}

/** A byte order mark is not valid JSON, but some clients send one, and `TextDecoder` drops it as well. */
function withoutMark(bytes: Uint8Array): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const from = isMarked ? 3 : 0
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from)
}

/** Rejects invalid UTF-8 (RFC 8259, 8.1), which would otherwise be stored as U+FFFD. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notUtf8()
  }
}

export function notUtf8(): ApiError {
  return new ApiError(400, 'The body is not UTF-8.', 'Send JSON in UTF-8.')
}
