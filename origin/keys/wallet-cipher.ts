import { randomBytes } from 'node:crypto'
import { ENCRYPTED_MESSAGE_MAX_BYTES } from '../../shared/limits.ts'
import { decryptGcm, encryptGcm, GCM_NONCE_BYTES, GCM_TAG_BYTES } from './aes-gcm.ts'

/**
 * Encryption of texts for a wallet (`Svc.Actions.encrypt`). The ciphertext is the base64 encoding of these parts, with
 * their lengths in bytes: version (1), salt (16), nonce (12), AES-256-GCM ciphertext of the UTF-8 text, tag (16). Each
 * message has its own key, derived from the root key, the wallet and the salt. A shared key with random nonces would be
 * safe for at most 2^32 messages (NIST SP 800-38D, 8.3). The header and the wallet are authenticated as associated
 * data.
 */
const VERSION = 1
const SALT_BYTES = 16
const HEADER_BYTES = 1 + SALT_BYTES
const OVERHEAD_BYTES = HEADER_BYTES + GCM_NONCE_BYTES + GCM_TAG_BYTES

/**
 * Encryption keys of a wallet. `name` identifies the wallet in the associated data, and `key` returns the key for a
 * salt.
 */
export type WalletCipher = { name: Uint8Array; key(salt: Uint8Array): Uint8Array }

/** Thrown if a text cannot be encrypted or decrypted. The error message is shown to the action's author. */
export class CipherError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CipherError'
  }
}

/** @throws {CipherError} if the text is too long, or cannot be encoded as UTF-8 */
export function encryptText(cipher: WalletCipher, text: string, random = randomBytes): string {
  if (!text.isWellFormed())
    throw new CipherError(
      'the message contains a lone surrogate; encode binary data as base64 first',
    )
  const bytes = Buffer.from(text)
  if (bytes.length > ENCRYPTED_MESSAGE_MAX_BYTES)
    throw new CipherError(
      `the message has ${bytes.length} bytes; the limit is ${ENCRYPTED_MESSAGE_MAX_BYTES}`,
    )
  const header = Buffer.concat([Uint8Array.of(VERSION), random(SALT_BYTES)])
  const nonce = random(GCM_NONCE_BYTES)
  const encrypted = encryptGcm(gcmContext(cipher, header, nonce), bytes)
  return Buffer.concat([header, nonce, encrypted]).toString('base64')
}

/** @throws {CipherError} if the ciphertext is damaged, or was created for another wallet */
export function decryptText(cipher: WalletCipher, ciphertext: string): string {
  const bytes = Buffer.from(ciphertext, 'base64')
  // Only canonical base64 is accepted, because Node's decoder ignores invalid characters.
  if (bytes.toString('base64') !== ciphertext)
    throw new CipherError('the ciphertext is not the base64 that encrypt returned')
  if (bytes.length < OVERHEAD_BYTES) throw new CipherError('the ciphertext is truncated')
  if (bytes[0] !== VERSION)
    throw new CipherError(`the ciphertext has the unknown version ${bytes[0]}`)
  const header = bytes.subarray(0, HEADER_BYTES)
  const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + GCM_NONCE_BYTES)
  const encrypted = bytes.subarray(HEADER_BYTES + GCM_NONCE_BYTES)
  const context = gcmContext(cipher, header, nonce)
  try {
    return decryptGcm(context, encrypted).toString('utf8')
  } catch {
    throw new CipherError(
      'the ciphertext was modified, truncated, or encrypted for another wallet or account',
    )
  }
}

function gcmContext(cipher: WalletCipher, header: Uint8Array, nonce: Uint8Array) {
  const associatedData = Buffer.concat([header, cipher.name])
  return { key: cipher.key(header.subarray(1)), nonce, associatedData }
}
