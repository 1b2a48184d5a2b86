/**
 * Handshakes that are answered after the signature of the request was verified. A handshake creates no run. Handshakes
 * without a signature are in `edge/triggers/handshakes.ts`.
 */
import { encodeHex } from '../../shared/encoding/hex.ts'
import type { HandshakeSender } from '../../shared/wire/trigger.ts'
import type { WebhookSource } from '../../shared/wire/webhook-source.ts'
import { echoable, type HandshakeReply, jsonReply } from '../triggers/handshake-reply.ts'
import { objectIn, postHandshake } from '../triggers/post-handshakes.ts'
import type { SignedRequest } from './scheme.ts'

/** Senders whose handshake is an event with a signature, and is then answered without the secret. */
const SIGNED_HANDSHAKES: Partial<Record<string, HandshakeSender>> = {
  slack: 'slack',
  twitch: 'twitch',
}

/**
 * Returns the reply to a handshake, or undefined if the request is an event.
 * @param request a request with a verified signature
 */
export async function verifiedHandshake(
  source: WebhookSource,
  secret: string,
  { body, headers }: SignedRequest,
): Promise<HandshakeReply | undefined> {
  if (source === 'discord') return objectIn(body).type === 1 ? jsonReply({ type: 1 }) : undefined
  if (source === 'zoom') return zoomReply(secret, objectIn(body))
  const sender = typeof source === 'string' ? SIGNED_HANDSHAKES[source] : undefined
  return sender && postHandshake(sender, { headers, query: {}, body })
}

async function zoomReply(
  secret: string,
  { event, payload }: Record<string, unknown>,
): Promise<HandshakeReply | undefined> {
  if (event !== 'endpoint.url_validation') return undefined
  const plainToken = echoable((payload as { plainToken?: unknown } | null)?.plainToken)
  if (plainToken === undefined) return undefined
  return jsonReply({ plainToken, encryptedToken: encodeHex(await hmacSha256(secret, plainToken)) })
}

export async function hmacSha256(secret: string, text: string): Promise<Uint8Array> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)))
}
