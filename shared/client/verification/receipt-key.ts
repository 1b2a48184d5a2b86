import { sha256 } from '@noble/hashes/sha2.js'
import { encodeHex } from '../../encoding/hex.ts'
import type { ReceiptKey } from '../../receipts/receipt.ts'

const KEY_ID_BYTES = 16
const ES256 = { name: 'ECDSA', hash: 'SHA-256' }

/**
 * Imports a receipt key with WebCrypto, which browsers, Workers and Node support.
 * @param point uncompressed P-256 point of 65 bytes, which is `public_key` in `/evidences/receipt-key.json`
 * @throws {DOMException} if the point is not on the curve
 */
export async function importReceiptKey(point: Uint8Array): Promise<ReceiptKey> {
  const raw = Uint8Array.from(point)
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  const key = await crypto.subtle.importKey('raw', raw, curve, false, ['verify'])
  return {
    kid: encodeHex(sha256(raw).subarray(0, KEY_ID_BYTES)),
    verify: (signature, text) => crypto.subtle.verify(ES256, key, signature, text),
  }
}
