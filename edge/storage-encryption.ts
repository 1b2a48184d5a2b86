/**
 * Encrypts secrets that the edge itself needs, for storage: AES-256-GCM with a key derived from `ID_MAC_KEY`
 * (HKDF-SHA256). The database alone reveals nothing.
 */
import { decodeBase64url, encodeBase64url } from '../shared/encoding/base64url.ts'
import { joinBytes } from '../shared/encoding/bytes.ts'

const NONCE_BYTES = 12

export type StorageKey = {
  macKey: string
  /** HKDF info: each kind of secret has its own key. */
  info: string
  /** Owner of the secret. The text cannot be decrypted for another owner. */
  boundTo: string
}

/** @returns base64url of the nonce and the ciphertext */
export async function encryptForStorage(
  storage: StorageKey,
  text: string,
  random: (bytes: number) => Uint8Array,
): Promise<string> {
  const nonce = new Uint8Array(random(NONCE_BYTES))
  const key = await storageKey(storage)
  const bytes = new TextEncoder().encode(text)
  const sealed = await crypto.subtle.encrypt(parameters(storage, nonce), key, bytes)
  return encodeBase64url(joinBytes(nonce, new Uint8Array(sealed)))
}

/** @throws if the text was encrypted for another owner, of another kind, or with another `ID_MAC_KEY` */
export async function decryptFromStorage(storage: StorageKey, sealed: string): Promise<string> {
  const bytes = decodeBase64url(sealed)
  if (!bytes) throw new Error('the encrypted secret is not base64url')
  const key = await storageKey(storage)
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const text = await crypto.subtle.decrypt(
    parameters(storage, nonce),
    key,
    bytes.subarray(NONCE_BYTES),
  )
  return new TextDecoder().decode(text)
}

function parameters({ boundTo }: StorageKey, iv: Uint8Array<ArrayBuffer>) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(boundTo) }
}

async function storageKey({ macKey, info }: StorageKey): Promise<CryptoKey> {
  const raw = decodeBase64url(macKey)
  if (!raw) throw new Error('ID_MAC_KEY is not base64url')
  const material = await crypto.subtle.importKey('raw', raw, 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode(info),
    },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}
