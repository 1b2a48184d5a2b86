import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import { invalidJson, parseJson, requireJsonType, validate } from '../../shared/json/json-body.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../shared/limits.ts'
import type { BodyHolder } from '../admission/body-budgets.ts'
import { readRequestBody } from './body/read-body.ts'
import { byteOrderMarkLength } from '../../shared/json/json-bytes.ts'
import { withoutNullMembers } from '../../shared/json/without-null-members.ts'
import { readMembers, type MemberSelection } from './json/members.ts'
import { NotJsonError } from './json/scan.ts'

export type RequestBody<Body> = {
  /** Limit of a body with source or params; overrides `OPERATION_BODY_MAX_BYTES`. */
  maxBytes?: number
  /** An empty body is treated as `{}`. */
  optional?: boolean
} & (ParsedBody<Body> | UnparsedBody)

type ParsedBody<Body> = {
  schema: z.ZodType<Body>
  /** Properties to read of a body that may be large; if absent, the whole body is parsed. */
  members?: MemberSelection
}

/** Raw bytes, because parsing would block the main thread; the schema is only for documentation. */
type UnparsedBody = { schema: z.ZodType; isUnparsed: true }

/** @throws {ApiError} 400, 413, 415 or 422, and any error of `readRequestBody` */
export async function parseRequestBody<Body>(
  context: Context,
  body: RequestBody<Body> | undefined,
  holder: BodyHolder,
): Promise<{ value: Body; bytes: Uint8Array }> {
  // Safe: an operation without a body has `undefined` as its type.
  if (!body) return { value: undefined as Body, bytes: new Uint8Array() }
  const bounds = { maxBytes: body.maxBytes ?? OPERATION_BODY_MAX_BYTES, holder }
  const bytes = await readRequestBody(context, bounds)
  const type = context.req.header('content-type') ?? null
  if ('isUnparsed' in body) {
    requireJsonType(type)
    return { value: bytes as Body, bytes }
  }
  const json = body.members
    ? parseMembers(bytes, type, body.members)
    : parseWhole(bytes, type, body.optional)
  return { value: validate(body.schema, withoutNullMembers(json)), bytes }
}

function parseWhole(bytes: Uint8Array, type: string | null, optional?: boolean): unknown {
  return parseJson(decodeText(bytes), type, optional)
}

function parseMembers(bytes: Uint8Array, type: string | null, members: MemberSelection): unknown {
  if (!isUtf8(bytes)) throw notUtf8()
  requireJsonType(type)
  try {
    return readMembers(withoutByteOrderMark(bytes), members)
  } catch (error) {
    if (error instanceof NotJsonError) throw invalidJson(error.message)
    throw error
  }
}

/** `TextDecoder` drops it as well. */
function withoutByteOrderMark(bytes: Uint8Array): Buffer {
  const from = byteOrderMarkLength(bytes)
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from)
}

/** Rejects invalid UTF-8 (RFC 8259, 8.1), which would otherwise be stored as U+FFFD. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notUtf8()
  }
}

export function notUtf8(): ApiError {
  return new ApiError(400, 'The body is not UTF-8.', 'Send JSON in UTF-8.')
}
