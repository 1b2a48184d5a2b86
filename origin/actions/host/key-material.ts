import type { JsonWebKeyInput, KeyObject } from 'node:crypto'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { RSA_KEY_MAX_BITS } from '../../../shared/limits.ts'

/** The largest permitted RSA key takes 4,680 bytes as PKCS #8. */
const DER_MAX_BYTES = 8 * 1024

/**
 * Number of bytes by which a prime of an RSA key may be longer than half of the modulus. The primes of real keys have
 * equal lengths.
 */
const PRIME_SLACK_BYTES = 8

type Family = {
  type: 'rsa' | 'ec' | 'ed25519'
  curve?: string
  /** Hex prefixes that turn a raw public key into a SubjectPublicKeyInfo, by the length of the raw key in bytes. */
  raw: Record<number, string>
}

const RSA: Family = { type: 'rsa', raw: {} }

/** Key families by algorithm or curve. Raw points may be uncompressed, or compressed to x and a sign (SEC 1, 2.3.3). */
const FAMILIES: Record<string, Family> = {
  'RSASSA-PKCS1-v1_5': RSA,
  'RSA-PSS': RSA,
  'P-256': {
    type: 'ec',
    curve: 'prime256v1',
    raw: {
      65: '3059301306072a8648ce3d020106082a8648ce3d030107034200',
      33: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
    },
  },
  'P-384': {
    type: 'ec',
    curve: 'secp384r1',
    raw: {
      97: '3076301006072a8648ce3d020106052b81040022036200',
      49: '3046301006072a8648ce3d020106052b81040022033200',
    },
  },
  Ed25519: { type: 'ed25519', raw: { 32: '302a300506032b6570032100' } },
}

/**
 * Imports a public or private key as DER.
 * @param kind algorithm or curve
 * @param format `raw`, `spki` or `pkcs8`
 * @throws Error with a message for the action's author if the key is invalid
 */
export function importKeyBytes(kind: string, format: string, bytes: Uint8Array): Uint8Array {
  const family = familyOf(kind)
  if (format === 'raw') return checkedDer(family, publicKey(rawToDer(family, bytes)))
  if (!isWholeDer(bytes)) throw new Error(`the key is not ${format}`)
  const key = format === 'pkcs8' ? privateKey(bytes) : publicKey(bytes)
  return checkedDer(family, key)
}

/**
 * Imports a JWK. The prelude has already checked its `kty` and `crv`. Returns DER, or the raw bytes of a secret key.
 */
export function importJwk(kind: string, type: string, jwk: unknown): Uint8Array {
  if (type === 'secret') return readSecret(jwk)
  const input = { key: jwk, format: 'jwk' } as JsonWebKeyInput
  const make = type === 'private' ? createPrivateKey : createPublicKey
  return checkedDer(
    familyOf(kind),
    parseKey(() => make(input), 'the JWK is not a key'),
  )
}

export function toKeyObject(type: string, der: Uint8Array): KeyObject {
  return type === 'private' ? privateKey(der) : publicKey(der)
}

function familyOf(kind: string): Family {
  const family = FAMILIES[kind]
  if (family === undefined) throw new Error('unknown key type')
  return family
}

function checkedDer({ type, curve }: Family, key: KeyObject): Uint8Array {
  const { asymmetricKeyType, asymmetricKeyDetails } = key
  if (asymmetricKeyType !== type || asymmetricKeyDetails?.namedCurve !== curve)
    throw new Error('the key has a different algorithm or curve')
  if (type === 'rsa') requireBoundedRsa(key)
  return key.export({ format: 'der', type: key.type === 'private' ? 'pkcs8' : 'spki' } as const)
}

/** Rejects RSA keys with large numbers. A signature cannot be interrupted, so it must take only milliseconds. */
function requireBoundedRsa(key: KeyObject): void {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits > RSA_KEY_MAX_BITS)
    throw new Error(`the modulus has ${bits} bits; the limit is ${RSA_KEY_MAX_BITS}`)
  if (key.type === 'public') return
  const { d, p, q, dp, dq, qi } = key.export({ format: 'jwk' })
  const most = Math.ceil(bits / 8)
  const isBounded =
    base64urlBytes(d) <= most &&
    [p, q, dp, dq, qi].every((part) => base64urlBytes(part) <= most / 2 + PRIME_SLACK_BYTES)
  if (!isBounded) throw new Error('the private key is inconsistent with its modulus')
}

function base64urlBytes(text: string | undefined): number {
  return Buffer.byteLength(text ?? '', 'base64url')
}

function rawToDer({ raw }: Family, bytes: Uint8Array): Uint8Array {
  const head = raw[bytes.length]
  if (head === undefined) throw new Error(`a raw key cannot have ${bytes.length} bytes`)
  return Buffer.concat([Buffer.from(head, 'hex'), bytes])
}

/** True if the bytes are a single DER element. The library would ignore trailing bytes after it. */
function isWholeDer(bytes: Uint8Array): boolean {
  const [tag, first = 0] = bytes
  if (tag !== 0x30 || bytes.length > DER_MAX_BYTES) return false
  if (first < 0x80) return bytes.length === 2 + first
  const count = first & 0x7f
  let length = 0
  for (const byte of bytes.subarray(2, 2 + count)) length = length * 256 + byte
  return bytes.length === 2 + count + length
}

function readSecret(jwk: unknown): Uint8Array {
  const k = typeof jwk === 'object' && jwk !== null && 'k' in jwk ? jwk.k : undefined
  if (typeof k !== 'string' || !/^[\w-]*$/.test(k)) throw new Error('k of the JWK is not base64url')
  return Buffer.from(k, 'base64url')
}

function publicKey(der: Uint8Array): KeyObject {
  const key = Buffer.from(der.buffer, der.byteOffset, der.length)
  return parseKey(
    () => createPublicKey({ key, format: 'der', type: 'spki' }),
    'the key is not spki',
  )
}

function privateKey(der: Uint8Array): KeyObject {
  const key = Buffer.from(der.buffer, der.byteOffset, der.length)
  return parseKey(
    () => createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
    'the key is not pkcs8',
  )
}

/**
 * Throws an error with the message `otherwise` if `make` fails, because the library's own messages contain names of its
 * functions, which do not help the action's author.
 */
function parseKey(make: () => KeyObject, otherwise: string): KeyObject {
  try {
    return make()
  } catch {
    throw new Error(otherwise)
  }
}
