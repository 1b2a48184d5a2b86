import { keccak_256 } from '@noble/hashes/sha3.js'
import { joinBytes } from '../../shared/encoding/bytes.ts'
import { derToRawSignature } from './der-signature.ts'
import type { Algorithm } from './scheme.ts'

type Verifier = { algorithm: Algorithm; key: CryptoKey | undefined; secret: string }

/** Returns true if any of the signatures is valid. Compares in constant time. */
export async function isAnySignatureValid(
  verifier: Verifier,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  content: Uint8Array,
): Promise<boolean> {
  const { algorithm } = verifier
  if (algorithm.name === 'hmac' || algorithm.name === 'keccak256') {
    const expected = await expectedDigest(verifier, content)
    return signatures.some((signature) => isSameDigest(signature, expected))
  }
  for (const signature of signatures)
    if (await isPublicKeySignature(verifier, signature, content)) return true
  return false
}

async function expectedDigest(
  { algorithm, key, secret }: Verifier,
  content: Uint8Array,
): Promise<Uint8Array> {
  if (algorithm.name === 'keccak256')
    return keccak_256(joinBytes(content, new TextEncoder().encode(secret)))
  return new Uint8Array(await crypto.subtle.sign('HMAC', key!, content))
}

/** Truncated signatures are not valid. */
function isSameDigest(signature: Uint8Array, expected: Uint8Array): boolean {
  return signature.length === expected.length && crypto.subtle.timingSafeEqual(signature, expected)
}

async function isPublicKeySignature(
  { algorithm, key }: Verifier,
  signature: Uint8Array<ArrayBuffer>,
  content: Uint8Array,
): Promise<boolean> {
  if (algorithm.name === 'ed25519')
    // Web Crypto throws if the length is wrong.
    return (
      signature.length === ED25519_SIGNATURE_BYTES &&
      crypto.subtle.verify('Ed25519', key!, signature, content)
    )
  const raw = derToRawSignature(signature)
  return raw !== undefined && crypto.subtle.verify(ECDSA, key!, raw, content)
}

const ED25519_SIGNATURE_BYTES = 64
const ECDSA = { name: 'ECDSA', hash: 'SHA-256' }
