import { OUTBOUND_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { HEADER_BYTES_MAX, HEADER_FIELDS_MAX } from './bounds.ts'
import { isDroppedHeader } from './dropped-headers.ts'
import { OutboundError } from './outbound-error.ts'

export type RedirectMode = 'follow' | 'manual' | 'error'

/** A request made by an action. `headers` does not include those that only the host may set. */
export type OutboundRequest = {
  url: string
  method: string
  headers: [name: string, value: string][]
  redirect: RedirectMode
  body: Uint8Array | undefined
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible characters, spaces, tabs and non-ASCII bytes, but no line breaks and no NUL. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const METHOD_MAX_CHARACTERS = 32
const UPPER_CASED = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']
/** Forbidden methods of the Fetch standard. */
const FORBIDDEN_METHODS = ['CONNECT', 'TRACE', 'TRACK']
const MODES: readonly RedirectMode[] = ['follow', 'manual', 'error']

/**
 * Validates a request from the sandbox, which is not trusted.
 * @throws {OutboundError}
 */
export function readRequest(value: unknown, body: Uint8Array): OutboundRequest {
  if (typeof value !== 'object' || value === null) throw new OutboundError('there is no request')
  const { url, method, headers, redirect } = value as Record<string, unknown>
  if (typeof url !== 'string') throw new OutboundError('the URL of a request is text')
  const mode = MODES.find((known) => known === redirect)
  if (mode === undefined) throw new OutboundError('redirect is "follow", "manual" or "error"')
  const verb = readMethod(method)
  if (body.length > OUTBOUND_BODY_MAX_BYTES)
    throw new OutboundError(`the body of a request is at most ${OUTBOUND_BODY_MAX_BYTES} bytes`)
  if (body.length > 0 && (verb === 'GET' || verb === 'HEAD'))
    throw new OutboundError(`a ${verb} request has no body`)
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
    throw new OutboundError('the method of a request is not valid')
  const upper = value.toUpperCase()
  if (FORBIDDEN_METHODS.includes(upper)) throw new OutboundError(`${upper} requests are not made`)
  return UPPER_CASED.includes(upper) ? upper : value
}

function readHeaders(value: unknown): [string, string][] {
  if (!Array.isArray(value)) throw new OutboundError('the headers of a request are pairs')
  const headers: [string, string][] = []
  let bytes = 0
  for (const entry of value as unknown[]) {
    const [name, text] = Array.isArray(entry) ? (entry as unknown[]) : []
    if (typeof name !== 'string' || typeof text !== 'string')
      throw new OutboundError('the headers of a request are pairs of text')
    if (!TOKEN.test(name)) throw new OutboundError('a header has a name that is not valid')
    const trimmed = text.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '')
    const lower = name.toLowerCase()
    if (!FIELD_VALUE.test(trimmed))
      throw new OutboundError(`the value of the header ${lower.slice(0, 64)} is not valid`)
    bytes += lower.length + trimmed.length
    if (bytes > HEADER_BYTES_MAX || headers.length >= HEADER_FIELDS_MAX)
      throw new OutboundError(
        `the headers of a request are at most ${HEADER_FIELDS_MAX}, with ${HEADER_BYTES_MAX} bytes`,
      )
    if (!isDroppedHeader(lower)) headers.push([lower, trimmed])
  }
  return headers
}
