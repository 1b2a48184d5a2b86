/**
 * Encryption of texts at rest. The encrypted text consists of these parts, with their lengths in bytes: version (1),
 * nonce (12), AES-256-GCM ciphertext, tag (16).
 */
import { randomBytes } from 'node:crypto'
import { decryptGcm, encryptGcm, GCM_NONCE_BYTES } from './aes-gcm.ts'

const VERSION = 1

/**
 * @param names the kind of text, and its database row. The names are authenticated as associated data, so that the
 * ciphertext cannot be decrypted as the content of another row.
 */
export function encryptAtRest(key: Uint8Array, names: readonly string[], text: string): Buffer {
  const nonce = randomBytes(GCM_NONCE_BYTES)
  const encrypted = encryptGcm({ key, nonce, associatedData: aad(names) }, Buffer.from(text))
  return Buffer.concat([Uint8Array.of(VERSION), nonce, encrypted])
}

/** @throws {Error} if the bytes were not encrypted with the same key and names */
export function decryptAtRest(
  key: Uint8Array,
  names: readonly string[],
  bytes: Uint8Array,
): string {
  if (bytes[0] !== VERSION) throw new Error(`${names[0]}: unsupported version ${bytes[0]}`)
  const nonce = bytes.subarray(1, 1 + GCM_NONCE_BYTES)
  const encrypted = bytes.subarray(1 + GCM_NONCE_BYTES)
  return decryptGcm({ key, nonce, associatedData: aad(names) }, encrypted).toString('utf8')
}

function aad(names: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(names))
}
