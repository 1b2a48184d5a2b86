/** Handshake replies echo only the sender's own text, in a form that a browser does not execute. */
import { HANDSHAKE_MAX_CHARACTERS } from '../../shared/limits.ts'

/** The status is always 200. */
export type HandshakeReply = { headers: Record<string, string>; body: string }

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/

/**
 * Returns the value if it is a short string of printable ASCII, and `undefined` otherwise. Known senders do not use
 * other challenges.
 */
export function echoable(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > HANDSHAKE_MAX_CHARACTERS) return undefined
  return PRINTABLE_ASCII.test(value) ? value : undefined
}

/** `nosniff` prevents browsers from interpreting markup in a challenge. */
export function textReply(body: string, headers: Record<string, string> = {}): HandshakeReply {
  return {
    body,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...SAFE_HEADERS, ...headers },
  }
}

export function jsonReply(value: object, headers: Record<string, string> = {}): HandshakeReply {
  const body = JSON.stringify(value)
  return { body, headers: { 'content-type': 'application/json', ...SAFE_HEADERS, ...headers } }
}

const SAFE_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

/**
 * Returns the request headers to repeat in the response to every event. Asana expects its new secret, and Adobe Sign
 * its client ID.
 */
export function echoedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const echoed: Record<string, string> = {}
  for (const name of ECHOED) {
    const value = echoable(headers[name])
    if (value !== undefined) echoed[name] = value
  }
  return echoed
}

const ECHOED = ['x-hook-secret', 'x-adobesign-clientid'] as const
