import { OUTBOUND_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { HEADER_BYTES_MAX, HEADER_FIELDS_MAX } from './bounds.ts'
import { OutboundError } from './outbound-error.ts'

type RedirectMode = 'follow' | 'manual' | 'error'

/** `headers` excludes the headers that actions cannot set. */
export type OutboundRequest = {
  url: string
  method: string
  headers: [name: string, value: string][]
  redirect: RedirectMode
  body: Uint8Array | undefined
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Valid value of a header field: visible characters, spaces, tabs and non-ASCII bytes, but no line breaks or NUL. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const METHOD_MAX_CHARACTERS = 32
const UPPER_CASED = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']
/** Methods forbidden by the Fetch standard. */
const FORBIDDEN_METHODS = ['CONNECT', 'TRACE', 'TRACK']
const REDIRECT_MODES: readonly RedirectMode[] = ['follow', 'manual', 'error']

/**
 * Request headers that determine how a message is framed and routed. A wrong value could smuggle a second request. As
 * in the Fetch standard, these headers are dropped without an error, because libraries set some of them. Unlike in the
 * Fetch standard, headers that protect the user of a browser (cookie, origin, referer) are not dropped.
 */
const DROPPED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Validates a request from the sandbox, which is untrusted.
 * @throws {OutboundError}
 */
export function readRequest(value: unknown, body: Uint8Array): OutboundRequest {
  if (typeof value !== 'object' || value === null) throw new OutboundError('the request is missing')
  const { url, method, headers, redirect } = value as Record<string, unknown>
  if (typeof url !== 'string') throw new OutboundError('url: expected a string')
  const mode = REDIRECT_MODES.find((known) => known === redirect)
  if (mode === undefined)
    throw new OutboundError('redirect: expected "follow", "manual" or "error"')
  const verb = readMethod(method)
  if (body.length > OUTBOUND_BODY_MAX_BYTES)
    throw new OutboundError(`the request body can have at most ${OUTBOUND_BODY_MAX_BYTES} bytes`)
  if (body.length > 0 && (verb === 'GET' || verb === 'HEAD'))
    throw new OutboundError(`a ${verb} request cannot have a body`)
  return {
    url,
    method: verb,
    headers: readHeaders(headers),
    redirect: mode,
    body: body.length === 0 ? undefined : body,
  }
}

function readMethod(value: unknown): string {
  if (typeof value !== 'string' || value.length > METHOD_MAX_CHARACTERS || !TOKEN.test(value))
    throw new OutboundError('method: not a valid HTTP method')
  const upper = value.toUpperCase()
  if (FORBIDDEN_METHODS.includes(upper))
    throw new OutboundError(`${upper} requests are not supported`)
  return UPPER_CASED.includes(upper) ? upper : value
}

function readHeaders(value: unknown): [string, string][] {
  if (!Array.isArray(value)) throw new OutboundError('headers: expected pairs')
  const headers: [string, string][] = []
  let bytes = 0
  for (const entry of value as unknown[]) {
    const [name, text] = Array.isArray(entry) ? (entry as unknown[]) : []
    if (typeof name !== 'string' || typeof text !== 'string')
      throw new OutboundError('headers: expected pairs of strings')
    if (!TOKEN.test(name)) throw new OutboundError('a header has an invalid name')
    const trimmed = text.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '')
    const lower = name.toLowerCase()
    if (!FIELD_VALUE.test(trimmed))
      throw new OutboundError(`the header ${lower.slice(0, 64)} has an invalid value`)
    bytes += lower.length + trimmed.length
    if (bytes > HEADER_BYTES_MAX || headers.length >= HEADER_FIELDS_MAX)
      throw new OutboundError(
        `a request can have at most ${HEADER_FIELDS_MAX} headers with ${HEADER_BYTES_MAX} bytes in total`,
      )
    if (!isDroppedHeader(lower)) headers.push([lower, trimmed])
  }
  return headers
}

/** @param name header name in lower case */
function isDroppedHeader(name: string): boolean {
  return DROPPED.has(name) || name.startsWith('proxy-') || name.startsWith('sec-')
}
