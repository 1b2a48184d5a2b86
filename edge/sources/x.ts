import { encodeBase64 } from '../queue/firing.ts'
import { type HandshakeReply, jsonReply } from '../triggers/handshake-reply.ts'
import type { SignedRequest } from './scheme.ts'
import { hmacSha256 } from './source-handshakes.ts'

const CRC_TOKEN = /^[A-Za-z0-9_=+/-]{1,128}$/

/**
 * Returns X's challenge-response check, or undefined if the request is not one. Anyone can request it, and the reply is a
 * valid signature of a webhook with the token as its body. `xContent` therefore rejects such bodies.
 */
export async function crcHandshake(
  secret: string,
  crcToken: string,
): Promise<HandshakeReply | undefined> {
  if (!CRC_TOKEN.test(crcToken)) return undefined
  const mac = await hmacSha256(secret, crcToken)
  return jsonReply({ response_token: `sha256=${encodeBase64(mac)}` })
}

/** Events are JSON objects, which are never valid tokens. */
export async function xContent({ body }: SignedRequest): Promise<Uint8Array | undefined> {
  return CRC_TOKEN.test(new TextDecoder('latin1').decode(body.subarray(0, 129))) ? undefined : body
}
