import { decodeBase64url } from '../shared/encoding/base64url.ts'

/**
 * Imported MAC key, cached because importing a key costs as much as using it. The cache contains the key itself and not
 * a promise, because a promise would belong to the request that created it.
 */
let imported: { macKey: string; key: CryptoKey } | undefined

/**
 * Computes an HMAC-SHA256. The key has several uses, so each text must start with a prefix for its purpose.
 * @param macKey `ID_MAC_KEY`, in base64url
 */
export async function macOf(macKey: string, text: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const key = await importedKey(macKey)
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, text))
}

async function importedKey(macKey: string): Promise<CryptoKey> {
  if (imported?.macKey === macKey) return imported.key
  const raw = decodeBase64url(macKey)
  if (!raw) throw new Error('ID_MAC_KEY is not base64url')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign'])
  imported = { macKey, key }
  return key
}
