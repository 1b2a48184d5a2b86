import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import { invalidJson, parseJson, requireJsonType, validate } from '../../shared/json/json-body.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../shared/limits.ts'
import type { BodyHolder } from '../admission/body-budgets.ts'
import { readRequestBody } from './body/read-body.ts'
import { byteOrderMarkLength } from '../json-bytes.ts'
import { withoutNullMembers } from '../../shared/json/without-null-members.ts'
import { readMembers, type MemberSelection } from './json/members.ts'
import { NotJsonError } from './json/scan.ts'

export type RequestBody<Body> = {
  /** Maximum size of a body with source or params, in bytes. Overrides `OPERATION_BODY_MAX_BYTES`. */
  maxBytes?: number
  /** Treats an empty body as `{}`. */
  optional?: boolean
} & (ParsedBody<Body> | UnparsedBody)

type ParsedBody<Body> = {
  schema: z.ZodType<Body>
  /** Properties to read from a body that may be large. If absent, the whole body is parsed. */
  members?: MemberSelection
  /**
   * Names of properties that become a `JsonText` if their value is an object. In contrast to a parsed object, the text
   * shows duplicate members.
   */
  texts?: readonly string[]
}

/**
 * Body passed to the handler as raw bytes, because parsing it would block the main thread. The schema is only for
 * documentation.
 */
type UnparsedBody = { schema: z.ZodType; isUnparsed: true }

/** @throws {ApiError} 400, 413, 415 or 422, and any error of `readRequestBody` */
export async function parseRequestBody<Body>(
  context: Context,
  body: RequestBody<Body> | undefined,
  holder: BodyHolder,
): Promise<{ value: Body; bytes: Uint8Array }> {
  // The cast is safe: the body type of an operation without a body is `undefined`.
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
    : withTexts(parseWhole(bytes, type, body.optional), bytes, body.texts)
  return { value: validate(body.schema, withoutNullMembers(json)), bytes }
}

function parseWhole(bytes: Uint8Array, type: string | null, optional?: boolean): unknown {
  return parseJson(decodeText(bytes), type, optional)
}

/** @param json value parsed from the bytes */
function withTexts(json: unknown, bytes: Uint8Array, texts: readonly string[] = []): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json
  let result: object = json
  for (const name of texts)
    if (Object.hasOwn(json, name))
      result = {
        ...result,
        ...(readMembers(withoutByteOrderMark(bytes), { names: [name], text: name }) as object),
      }
  return result
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

function withoutByteOrderMark(bytes: Uint8Array): Buffer {
  const from = byteOrderMarkLength(bytes)
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from)
}

/** Decodes a body. Rejects invalid UTF-8 (RFC 8259, 8.1), which would otherwise be stored as U+FFFD. */
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
