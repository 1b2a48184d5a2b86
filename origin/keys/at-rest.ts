/**
 * Encryption of texts at rest. Format: version 1 · nonce 12 · AES-256-GCM ciphertext of the text · tag 16 (lengths in
 * bytes).
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * @param names the kind of text, and its database row. They are authenticated as associated data, so the ciphertext
 * cannot be decrypted as the content of another row.
 */
export function encryptAtRest(key: Uint8Array, names: readonly string[], text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad(names))
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Uint8Array.of(VERSION), nonce, encrypted, cipher.getAuthTag()])
}

/** @throws {Error} if the bytes were not encrypted with the same key and names */
export function decryptAtRest(
  key: Uint8Array,
  names: readonly string[],
  bytes: Uint8Array,
): string {
  if (bytes[0] !== VERSION) throw new Error(`${names[0]}: unsupported version ${bytes[0]}`)
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(aad(names))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  const text = decipher.update(bytes.subarray(1 + NONCE_BYTES, bytes.length - TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

function aad(names: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(names))
}
