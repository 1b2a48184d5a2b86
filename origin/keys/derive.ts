/**
 * All keys are derived from the root key (`docs/architecture.md`) by HKDF-SHA256 with the salt `svc-root-v1`. The HKDF
 * info consists of all parts, each preceded by its length (4 bytes, big-endian), followed by one counter byte. The
 * length prefixes make the encoding injective: the parts `a/b`, `c` and the parts `a`, `b/c` give different keys. The
 * test vectors in `test/origin/keys/derive.test.ts` must never change, because stored data depends on these keys.
 */
import { hkdfSync } from 'node:crypto'

const SALT = Buffer.from('svc-root-v1')

/** Order of the secp256k1 group (SEC 2, 2.4.1). */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Order of the P-256 group (SEC 2, 2.4.2). */
export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

export type KeyPart = string | Uint8Array

export function encodeInfo(parts: readonly KeyPart[], counter: number): Buffer {
  const chunks: Uint8Array[] = []
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    chunks.push(length, bytes)
  }
  return Buffer.concat([...chunks, Uint8Array.of(counter)])
}

export function deriveBytes(root: Uint8Array, parts: readonly KeyPart[], counter = 0): Buffer {
  return Buffer.from(hkdfSync('sha256', root, SALT, encodeInfo(parts, counter), 32))
}

/** Increments the counter until the candidate is in the range from 1 to `order` - 1. */
export function deriveScalar(
  root: Uint8Array,
  parts: readonly KeyPart[],
  order: bigint,
  candidate = deriveBytes,
): Buffer {
  for (let counter = 0; counter < 256; counter++) {
    const bytes = candidate(root, parts, counter)
    const scalar = BigInt(`0x${bytes.toString('hex')}`)
    if (scalar > 0n && scalar < order) return bytes
  }
  throw new Error('no candidate below the order of the curve')
}
