/**
 * Encrypts webhook secrets for storage: AES-256-GCM with a key derived from `ID_MAC_KEY` (HKDF-SHA256), bound to the
 * trigger's ID. The edge needs the secrets to verify webhooks, so it must be able to decrypt them, unlike usage keys.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { joinBytes } from '../../shared/encoding/bytes.ts'

const INFO = 'svc/webhook-secret/v1'
const NONCE_BYTES = 12

type Owner = { triggerId: string; macKey: string }

/** @returns base64url of the nonce and the ciphertext */
export async function sealSecrets(
  { triggerId, macKey }: Owner,
  secrets: readonly string[],
  random: (bytes: number) => Uint8Array,
): Promise<string> {
  const nonce = new Uint8Array(random(NONCE_BYTES))
  const text = new TextEncoder().encode(JSON.stringify(secrets))
  const key = await storageKey(macKey)
  const sealed = await crypto.subtle.encrypt(parameters(triggerId, nonce), key, text)
  return encodeBase64url(joinBytes(nonce, new Uint8Array(sealed)))
}

/** @throws if the text was sealed for another trigger or with another `ID_MAC_KEY` */
export async function openSecrets(
  { triggerId, macKey }: Owner,
  sealed: string,
): Promise<readonly string[]> {
  const bytes = decodeBase64url(sealed)
  if (!bytes) throw new Error('the sealed webhook secret is not base64url')
  const key = await storageKey(macKey)
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const text = await crypto.subtle.decrypt(
    parameters(triggerId, nonce),
    key,
    bytes.subarray(NONCE_BYTES),
  )
  return JSON.parse(new TextDecoder().decode(text)) as string[]
}

function parameters(triggerId: string, iv: Uint8Array<ArrayBuffer>) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(triggerId) }
}

async function storageKey(macKey: string): Promise<CryptoKey> {
  const raw = decodeBase64url(macKey)
  if (!raw) throw new Error('ID_MAC_KEY is not base64url')
  const material = await crypto.subtle.importKey('raw', raw, 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode(INFO),
    },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}
