import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { notJson, parseJson, requireJsonType, validate } from '../../shared/json-body.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { readMembers, type Reading } from './json/members.ts'
import { NotJson } from './json/scan.ts'

export type RequestBody<Body> = {
  schema: z.ZodType<Body>
  /** An empty body counts as `{}`. */
  optional?: boolean
  /** More than `OPERATION_BODY_MAX_BYTES`, for source and params. */
  maxBytes?: number
  /** The body is one JSON string. */
  isString?: true
  /** Of a body that may be large: nothing but these members is read. */
  members?: Reading
}

/**
 * A request's body, validated, and its bytes as they were sent.
 * @throws {ApiError} 400, 413, 415 or 422
 */
export async function bodyOf<Body>(
  context: Context,
  body: RequestBody<Body> | undefined,
): Promise<{ value: Body; bytes: Uint8Array }> {
  // An operation without a body has `undefined` for its type, and no handler that looks at it.
  if (!body) return { value: undefined as Body, bytes: new Uint8Array() }
  const bytes = await bytesOf(context, body.maxBytes ?? OPERATION_BODY_MAX_BYTES)
  const type = context.req.header('content-type') ?? null
  const json = body.members ? membersIn(bytes, type, body.members) : valueIn(bytes, type, body)
  return { value: validate(body.schema, json), bytes }
}

function valueIn(bytes: Uint8Array, type: string | null, body: RequestBody<unknown>): unknown {
  const text = decoded(bytes)
  if (body.isString) requireString(text)
  return parseJson(text, type, body.optional)
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

/** A byte order mark is no JSON, and there are clients that send one: `TextDecoder` drops it as well. */
function withoutMark(bytes: Uint8Array): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const from = isMarked ? 3 : 0
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from)
}

/** No more of a body is held than it may have, whether it says its length or not. @throws {ApiError} 413 */
export async function bytesOf(context: Context, maxBytes: number): Promise<Uint8Array> {
  const declared = context.req.header('content-length')
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (declared !== undefined) return new Uint8Array(await context.req.arrayBuffer())
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of context.req.raw.body ?? []) {
    length += chunk.length
    // Leaving the loop cancels the rest.
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(
    413,
    `The request's body is larger than ${maxBytes} bytes.`,
    'Send less; /core/v1/limits has every bound.',
  )
}

/** JSON is UTF-8 (RFC 8259, 8.1); other bytes would be stored as U+FFFD, which nobody sent. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notUtf8()
  }
}

function notUtf8(): ApiError {
  return new ApiError(400, 'The body is not UTF-8.', 'Send JSON in UTF-8.')
}

/** A large body that is no string is refused unread: to parse millions of keys takes seconds. */
function requireString(text: string): void {
  if (text.length <= OPERATION_BODY_MAX_BYTES || /^\s*"/.test(text)) return
  throw new ApiError(422, 'body: expected a string', 'Send the source as one JSON string.')
}
