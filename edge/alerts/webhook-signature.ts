import { encodeBase64 } from '../queue/firing.ts'
import { decodeBase64 } from '../sources/signature-header.ts'

type Message = {
  id: string
  /** Time of the attempt, in Unix seconds. */
  timestamp: number
  body: string
}

/**
 * Returns the headers of Standard Webhooks, with one signature per secret.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function signatureHeaders(
  { id, timestamp, body }: Message,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const text = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = secrets.map(async (secret) => `v1,${encodeBase64(await hmac(secret, text))}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': (await Promise.all(signatures)).join(' '),
  }
}

async function hmac(secret: string, text: BufferSource): Promise<Uint8Array> {
  const raw = decodeBase64(secret.slice('whsec_'.length))
  if (!raw) throw new Error('the secret is not base64')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, text))
}
