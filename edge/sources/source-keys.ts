/** Keys of a source, parsed from the secrets that the owner stored. */
import { decodeHex } from '../../shared/encoding/hex.ts'
import type { WebhookSource } from '../../shared/wire/webhook-source.ts'
import type { Algorithm, Scheme, SignatureScheme, TokenScheme } from './scheme.ts'
import { schemeOf } from './schemes.ts'
import { decodeBase64 } from './signature-header.ts'

export type SourceKey =
  | { scheme: TokenScheme; secret: string }
  | { scheme: SignatureScheme; secret: string; key: CryptoKey | undefined }

/** The secret does not have the format of this source. The message says what is expected, and never contains the secret. */
export class InvalidSecretError extends Error {
  constructor(expected: string) {
    super(expected)
    this.name = 'InvalidSecretError'
  }
}

/** @throws {InvalidSecretError} */
export async function importSourceKey(source: WebhookSource, secret: string): Promise<SourceKey> {
  const scheme: Scheme = schemeOf(source, secret)
  if (scheme.by === 'token') return { scheme, secret }
  return { scheme, secret, key: await importKey(scheme.algorithm, secret) }
}

async function importKey(algorithm: Algorithm, secret: string): Promise<CryptoKey | undefined> {
  switch (algorithm.name) {
    case 'hmac': {
      const raw =
        algorithm.key === 'text' ? new TextEncoder().encode(secret) : standardSecret(secret)
      const hmac = { name: 'HMAC', hash: algorithm.hash }
      return crypto.subtle.importKey('raw', raw, hmac, false, ['sign'])
    }
    case 'ed25519': {
      const raw = algorithm.key === 'hex' ? decodeHex(secret) : standardPublicKey(secret)
      if (raw?.length !== 32)
        throw new InvalidSecretError('expected a public key of 32 bytes in hex')
      return importPublicKey('raw', raw, { name: 'Ed25519' })
    }
    case 'ecdsa':
      return importPublicKey('spki', spkiBytes(secret), { name: 'ECDSA', namedCurve: 'P-256' })
    case 'keccak256':
      return undefined
  }
}

/** Standard Webhooks requires between 24 and 64 bytes. */
function standardSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length < 24 || bytes.length > 64)
    throw new InvalidSecretError('expected whsec_ and 24 to 64 bytes in base64')
  return bytes
}

function standardPublicKey(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(secret.slice('whpk_'.length))
  if (bytes?.length !== 32)
    throw new InvalidSecretError('expected whpk_ and a public key of 32 bytes in base64')
  return bytes
}

const SPKI_EXPECTED = 'expected a P-256 public key in base64 or PEM'

function spkiBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(secret.replaceAll(/-----(BEGIN|END) PUBLIC KEY-----|\s/g, ''))
  if (!bytes) throw new InvalidSecretError(SPKI_EXPECTED)
  return bytes
}

async function importPublicKey(
  format: 'raw' | 'spki',
  bytes: Uint8Array<ArrayBuffer>,
  algorithm: { name: string; namedCurve?: string },
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey(format, bytes, algorithm, false, ['verify'])
  } catch {
    throw new InvalidSecretError(
      format === 'spki' ? SPKI_EXPECTED : 'expected a valid Ed25519 public key',
    )
  }
}
