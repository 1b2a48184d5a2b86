import { encodeHex } from '../encoding/hex.ts'
import { IDEMPOTENCY_KEY_MAX } from '../limits.ts'
import { credentialHeader } from './credential.ts'
import { NotSent } from './failures/transport-errors.ts'
import type { ClientRequest } from './request.ts'

/**
 * Returns the headers of a call, with names in lower case. All attempts of a call send the same headers.
 * @throws {NotSent} `bad_header`, `bad_credential`, `bad_idempotency_key`
 */
export function requestHeaders(
  request: ClientRequest,
  random: (bytes: number) => Uint8Array,
): Record<string, string> {
  const { credential, json, method, options, repeat, wants } = request
  const headers: Record<string, string> = {
    ...requireValidHeaders(request.headers ?? {}),
    accept: wants === 'csv' ? 'text/csv' : 'application/json',
  }
  if (json !== undefined) headers['content-type'] = 'application/json'
  if (credential) {
    const [name, value] = credentialHeader(credential)
    headers[name] = value
  }
  const key = options?.idempotencyKey ?? (repeat === 'once' ? randomUuid(random) : undefined)
  if (key !== undefined && method === 'POST')
    headers['idempotency-key'] = requireIdempotencyKey(key)
  return headers
}

/**
 * Checks the headers before the runtime does, because the runtime's error for an invalid header would quote the value.
 */
function requireValidHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers))
  } catch {
    const fix = 'Use valid HTTP header names and values. Nothing was sent.'
    throw new NotSent('bad_header', 'headers: invalid name or value', fix)
  }
}

function requireIdempotencyKey(key: string): string {
  if (key.length <= IDEMPOTENCY_KEY_MAX && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key))
    return key
  throw new NotSent(
    'bad_idempotency_key',
    `idempotencyKey: expected 1 to ${IDEMPOTENCY_KEY_MAX} printable ASCII characters`,
    'Use a random ID, such as a UUID, for each call that must be made only once.',
  )
}

/** Generates a version 4 UUID (RFC 9562, section 5.4). */
function randomUuid(random: (bytes: number) => Uint8Array): string {
  const bytes = random(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
