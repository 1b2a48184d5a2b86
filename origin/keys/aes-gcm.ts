/**
 * AES-GCM encryption with a 16-byte tag after the ciphertext. Uses AES-128 with a 16-byte key and AES-256 with a
 * 32-byte key.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'

export const GCM_NONCE_BYTES = 12
export const GCM_TAG_BYTES = 16

type GcmContext = {
  key: Uint8Array
  nonce: Uint8Array
  associatedData: Uint8Array
}

export function encryptGcm(
  { key, nonce, associatedData }: GcmContext,
  plaintext: Uint8Array,
): Buffer {
  const cipher = createCipheriv(algorithmFor(key), key, nonce).setAAD(associatedData)
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** @throws {Error} if the ciphertext is not authentic */
export function decryptGcm(
  { key, nonce, associatedData }: GcmContext,
  ciphertext: Uint8Array,
): Buffer {
  // Checked here because Node would accept a truncated authentication tag, which is easier to forge.
  if (ciphertext.length < GCM_TAG_BYTES) throw new Error('the ciphertext is shorter than its tag')
  const decipher = createDecipheriv(algorithmFor(key), key, nonce, { authTagLength: GCM_TAG_BYTES })
  decipher.setAAD(associatedData).setAuthTag(ciphertext.subarray(-GCM_TAG_BYTES))
  const plaintext = decipher.update(ciphertext.subarray(0, -GCM_TAG_BYTES))
  return Buffer.concat([plaintext, decipher.final()])
}

function algorithmFor({ length }: Uint8Array): 'aes-128-gcm' | 'aes-256-gcm' {
  return length === 16 ? 'aes-128-gcm' : 'aes-256-gcm'
}
