import { decodeBase64url } from '../../shared/encoding/base64url.ts'
import { decodeHex } from '../../shared/encoding/hex.ts'
import type { SignatureLocation, SignedRequest, TimestampLocation } from './scheme.ts'

type Headers = SignedRequest['headers']

/** Maximum signatures of a request that are tried. Senders use two while they rotate a secret. */
const SIGNATURES_MAX = 4

/**
 * Returns the signatures of a request.
 * @returns `missing` without a signature header; `malformed` if none of the signatures has the sender's form
 */
export function signaturesOf(
  location: SignatureLocation,
  headers: Headers,
): Uint8Array<ArrayBuffer>[] | 'missing' | 'malformed' {
  const values = headerNames(location.header, headers).flatMap(
    (name) => valueOf(headers, name) ?? [],
  )
  if (values.length === 0) return 'missing'
  const signatures = values
    .flatMap((value) => signatureTexts(location, value))
    .flatMap((text) => decodeSignature(location, text) ?? [])
  return signatures.length > 0 ? signatures.slice(0, SIGNATURES_MAX) : 'malformed'
}

function headerNames(header: SignatureLocation['header'], headers: Headers): readonly string[] {
  if (typeof header === 'string') return [header]
  if (header instanceof RegExp) return Object.keys(headers).filter((name) => header.test(name))
  return header
}

function valueOf(headers: Headers, name: string): string | undefined {
  return (Object.hasOwn(headers, name) && headers[name]?.trim()) || undefined
}

function signatureTexts({ field }: SignatureLocation, value: string): readonly string[] {
  return field ? (fieldsOf(value, field.separator, field.equals).get(field.name) ?? []) : [value]
}

function decodeSignature(
  { encoding, prefix = '' }: SignatureLocation,
  text: string,
): Uint8Array<ArrayBuffer> | undefined {
  if (!text.startsWith(prefix)) return undefined
  const encoded = text.slice(prefix.length)
  const bytes = encoding === 'hex' ? decodeHex(encoded) : decodePaddedBase64(encoded)
  return bytes && bytes.length > 0 ? bytes : undefined
}

/** Requires the padding, so that a signature has only one valid text. */
function decodePaddedBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.length % 4 === 0 ? decodeBase64(text) : undefined
}

/** Decodes base64 with or without padding (RFC 4648, section 4). Returns undefined for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/[-_]/.test(text)) return undefined
  return decodeBase64url(
    text
      .replace(/={1,2}$/, '')
      .replaceAll('+', '-')
      .replaceAll('/', '_'),
  )
}

/** Returns the values of a list such as `t=1,v1=ab,v1=cd`, by name. */
export function fieldsOf(
  value: string,
  separator: ',' | ';' | ' ',
  equals: '=' | ',',
): Map<string, string[]> {
  const fields = new Map<string, string[]>()
  for (const part of value.split(separator)) {
    const at = part.indexOf(equals)
    if (at < 0) continue
    const name = part.slice(0, at).trim()
    fields.set(name, [...(fields.get(name) ?? []), part.slice(at + 1).trim()])
  }
  return fields
}

/**
 * Returns the timestamp as the sender wrote it. Returns undefined if it is missing, or occurs twice, because the
 * signature might cover the other one.
 */
export function timestampText(
  location: TimestampLocation,
  signature: SignatureLocation,
  { headers, body }: SignedRequest,
): string | undefined {
  if ('header' in location) return valueOf(headers, location.header)
  if ('member' in location) return memberText(body, location.member)
  const { field, header } = signature
  const value = typeof header === 'string' ? valueOf(headers, header) : undefined
  if (!field || value === undefined) return undefined
  const found = fieldsOf(value, field.separator, field.equals).get(location.field) ?? []
  return found.length === 1 ? found[0] : undefined
}

/** Called only after the signature of the body was verified. */
function memberText(body: Uint8Array, member: string): string | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))[member]
    return typeof value === 'number' ? String(value) : undefined
  } catch {
    return undefined
  }
}

/** @returns Unix milliseconds; undefined if the text is not a timestamp of this unit */
export function parseTimestamp(text: string, unit: TimestampLocation['unit']): number | undefined {
  if (unit === 'date') {
    const time = Date.parse(text)
    return Number.isNaN(time) ? undefined : time
  }
  if (!/^\d{1,15}$/.test(text)) return undefined
  return Number(text) * (unit === 's' ? 1000 : 1)
}
