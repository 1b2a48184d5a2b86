import { sha256, sha384 } from '@noble/hashes/sha2.js'
import { encodeHex } from '../encoding/hex.ts'

const encoder = new TextEncoder()

export function sha256Hex(of: string | Uint8Array): string {
  return encodeHex(sha256(typeof of === 'string' ? encoder.encode(of) : of))
}

export function sha384Of(...parts: Uint8Array[]): Uint8Array {
  const hash = sha384.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}
