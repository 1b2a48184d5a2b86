/**
 * Encodes the plaintext of a sealed core API message: the raw body, then a JSON head, then the length of the head (4
 * bytes, big-endian). The head comes last so that a large body is read once, directly into the buffer that is sealed.
 */
import { z } from 'zod'
import { isProxiedPath } from './core-routes.ts'
import { isForwardedHeader } from './forwarded-headers.ts'
import { storedLinkKeySchema } from './account-links.ts'
import { replayProtection } from './sealed.ts'
import { traceparentSchema } from './traceparent.ts'

export const SEALED_HTTP_PATH = '/sealed/http'

/**
 * Byte of keep-alive padding, which is sent before a sealed response while a long action runs. A sealed response never
 * starts with this byte.
 */
export const PAD_BYTE = 0

const LENGTH_BYTES = 4

/**
 * Names and values of headers. A value is a byte string, in which each character is one byte. As in the Fetch standard,
 * values may contain control characters. NUL, CR and LF are rejected to prevent header injection.
 */
const fieldName = z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, 'expected a header name')
const fieldValue = z.string().regex(/^[^\0\r\n\u0100-\uffff]*$/, 'expected a header value')
const headersSchema = z.array(
  z.tuple([fieldName.refine(isForwardedHeader, 'expected a header that is passed on'), fieldValue]),
)

export const FORWARDED_METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
] as const

export const sealedHttpRequestSchema = z.object({
  ...replayProtection,
  method: z.enum(FORWARDED_METHODS),
  path: z.string().refine(isProxiedPath, 'expected a path that is passed on'),
  /** Query of the request, including the question mark. Empty if the request has no query. */
  query: z.string().regex(/^(\?[\x21\x22\x24-\x7e]*)?$/, 'expected a query'),
  headers: headersSchema,
  /** Client's IP address as seen by the edge, for rate limits. Empty if unknown. */
  client_address: z.string().max(64),
  /** `traceparent` of the edge's span. Absent if the edge does not export traces. */
  trace: traceparentSchema.optional(),
  /** Credential of the request, in place of a header. A request with both is refused. */
  stored_key: storedLinkKeySchema.optional(),
})
export type SealedHttpRequest = z.infer<typeof sealedHttpRequestSchema>

/**
 * Head of a sealed response. If the origin sends a refusal instead (`sealed.ts`), the request did not reach the core
 * API.
 */
export const sealedHttpResponseSchema = z.object({
  state: z.literal('answered'),
  status: z.int().min(200).max(599),
  headers: headersSchema,
})
export type SealedHttpResponse = z.infer<typeof sealedHttpResponseSchema>

/** @param buffer starts with the body. The buffer is reused if it has room for the head and the head's length */
export function encodeFrame(
  buffer: Uint8Array<ArrayBuffer>,
  bodyBytes: number,
  head: object,
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const total = bodyBytes + text.length + LENGTH_BYTES
  let bytes = buffer
  if (bytes.length < total) {
    bytes = new Uint8Array(total)
    bytes.set(buffer.subarray(0, bodyBytes))
  }
  bytes.set(text, bodyBytes)
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(total - LENGTH_BYTES, text.length)
  return bytes.subarray(0, total)
}

/** Decodes a message without parsing the head's JSON. Undefined if the plaintext is malformed. */
export function decodeFrame<Bytes extends Uint8Array>(
  bytes: Bytes,
): { head: string; body: Bytes } | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined
  const end = bytes.length - LENGTH_BYTES
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(end)
  if (length > end) return undefined
  try {
    const head = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(end - length, end),
    )
    return { head, body: bytes.subarray(0, end - length) as Bytes }
  } catch {
    return undefined
  }
}
