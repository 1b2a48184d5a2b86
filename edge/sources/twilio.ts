import { encodeHex } from '../../shared/encoding/hex.ts'
import { mediaTypeOf } from '../../shared/network/media-type.ts'
import type { SignedRequest } from './scheme.ts'

/**
 * Content of Twilio's signature: the URL, followed by the names and values of a form's fields in the order of their
 * names. The signature of another body covers its hash, which is a parameter of the URL.
 */
export async function twilioContent(request: SignedRequest): Promise<Uint8Array | undefined> {
  const { url, body, contentType } = request
  const hashes = new URL(url).searchParams.getAll('bodySHA256')
  if (hashes.length > 0) {
    const isCovered = hashes.length === 1 && hashes[0] === (await hashOf(body))
    return isCovered ? utf8(url) : undefined
  }
  if (body.length === 0) return utf8(url)
  // Without this check, the signature of an empty request would be valid for any body.
  if (mediaTypeOf(contentType) !== 'application/x-www-form-urlencoded') return undefined
  const fields = signedFields(body)
  return fields === undefined ? undefined : utf8(url + fields)
}

const utf8 = (text: string) => new TextEncoder().encode(text)

async function hashOf(body: Uint8Array): Promise<string> {
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', body)))
}

/** Repeated values of a field are signed once, as in Twilio's own libraries. */
function signedFields(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    const fields = text.split('&').filter((part) => part !== '')
    const sorted = fields.map(decodeField).toSorted(byNameAndValue)
    return [...new Set(sorted.map((field) => field.join('')))].join('')
  } catch {
    return undefined
  }
}

type Field = readonly [name: string, value: string]

/** @throws {URIError} if the field is not valid UTF-8 */
function decodeField(part: string): Field {
  const [name = '', ...value] = part.replaceAll('+', ' ').split('=')
  return [decodeURIComponent(name), decodeURIComponent(value.join('='))]
}

function byNameAndValue(one: Field, other: Field): number {
  return compare(one[0], other[0]) || compare(one[1], other[1])
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))
