/** What a handshake gives back: the sender's own text, and nothing that a browser would run. */
import { HANDSHAKE_MAX_CHARACTERS } from '../../shared/limits.ts'

/** An answer with status 200. */
export type HandshakeReply = { headers: Record<string, string>; body: string }

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/

/** The value where it may be echoed: printable ASCII and short. Anything else is no sender's challenge. */
export function echoable(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > HANDSHAKE_MAX_CHARACTERS) return undefined
  return PRINTABLE_ASCII.test(value) ? value : undefined
}

/** Plain text, which nosniff keeps it to: markup in a challenge stays text. */
export function textReply(body: string, headers: Record<string, string> = {}): HandshakeReply {
  return {
    body,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...UNTOUCHED, ...headers },
  }
}

export function jsonReply(value: object, headers: Record<string, string> = {}): HandshakeReply {
  const body = JSON.stringify(value)
  return { body, headers: { 'content-type': 'application/json', ...UNTOUCHED, ...headers } }
}

const UNTOUCHED = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

/** Headers that a sender wants back on the answer to each event: Asana's new secret, and Adobe Sign's client id. */
export function echoedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const echoed: Record<string, string> = {}
  for (const name of ECHOED) {
    const value = echoable(headers[name])
    if (value !== undefined) echoed[name] = value
  }
  return echoed
}

const ECHOED = ['x-hook-secret', 'x-adobesign-clientid'] as const
