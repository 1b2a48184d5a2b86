/**
 * A request to the core API inside the envelope, and its answer: the body's bytes as they are, behind them a head in
 * JSON, behind that the head's length (4 bytes, big-endian). The head is last so that a body of megabytes is read once,
 * into the very bytes that are sealed.
 */
import { z } from 'zod'
import { isPassedOn } from './core-routes.ts'
import { isPassedHeader } from './passed-headers.ts'
import { freshness } from './sealed.ts'

export const SEALED_HTTP_PATH = '/sealed/http'

/** Bytes before a sealed answer, which begins with another: they keep the connection of a long action open. */
export const PAD_BYTE = 0

const LENGTH_BYTES = 4

/**
 * A byte string: each character is one byte. Header values as the Fetch standard defines them: control characters pass,
 * since both runtimes accept them; NUL, CR and LF do not, so no header can be smuggled in.
 */
const fieldName = z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, 'header name')
const fieldValue = z.string().regex(/^[^\0\r\n\u0100-\uffff]*$/, 'header value')
const fields = z.array(
  z.tuple([fieldName.refine(isPassedHeader, 'a header that is not passed on'), fieldValue]),
)

export const PASSED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export const sealedHttpRequestSchema = z.object({
  ...freshness,
  method: z.enum(PASSED_METHODS),
  path: z.string().refine(isPassedOn, 'a path that is passed on'),
  /** With its question mark; empty where there is none. */
  query: z.string().regex(/^(\?[\x21\x22\x24-\x7e]*)?$/, 'a query'),
  headers: fields,
  /** Who asked the edge, for limits: an IP address, or empty where it is not known. */
  client_address: z.string().max(64),
})
export type SealedHttpRequest = z.infer<typeof sealedHttpRequestSchema>

/** What the app answered; a refusal in its place (`sealed.ts`) says that the request was not given to the app. */
export const sealedHttpAnswerSchema = z.object({
  state: z.literal('answered'),
  status: z.int().min(200).max(599),
  headers: fields,
})
export type SealedHttpAnswer = z.infer<typeof sealedHttpAnswerSchema>

/**
 * Puts head and body into one text to be sealed.
 * @param room bytes with the body at their beginning, and room for the head behind it; used where it is enough
 */
export function frame(
  room: Uint8Array<ArrayBuffer>,
  bodyBytes: number,
  head: object,
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const total = bodyBytes + text.length + LENGTH_BYTES
  let bytes = room
  if (bytes.length < total) {
    bytes = new Uint8Array(total)
    bytes.set(room.subarray(0, bodyBytes))
  }
  bytes.set(text, bodyBytes)
  for (let i = 0; i < LENGTH_BYTES; i++) bytes[total - 1 - i] = (text.length >>> (8 * i)) & 0xff
  return bytes.subarray(0, total)
}

/** The two parts of a text, or `undefined` where it is none of this form; the head's JSON is not looked at. */
export function unframe<Bytes extends Uint8Array>(
  bytes: Bytes,
): { head: string; body: Bytes } | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined
  const end = bytes.length - LENGTH_BYTES
  let length = 0
  for (let i = end; i < bytes.length; i++) length = length * 256 + bytes[i]!
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
