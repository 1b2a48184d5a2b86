/**
 * Verifies statements that are signed with the origin's receipt key: JWS in compact form (RFC 7515) with ES256 (RFC
 * 7518, 3.4). Each kind of statement has its own `typ`, so that one kind cannot be mistaken for another.
 */
import { z } from 'zod'
import { decodeBase64url } from '../encoding/base64url.ts'
import { encodeHex } from '../encoding/hex.ts'

export const JWS_ALGORITHM = 'ES256'

/**
 * Half of the order of P-256. If the signature (r, s) verifies, so does (r, order - s). Anyone could thus create a
 * second valid text and make a chain of receipts look forked, so only the lower s is valid.
 */
const HALF_ORDER = '7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8'

/**
 * Schema of the JWS header. The schema is strict, because an unsupported header parameter must not look as if it had
 * been honored.
 */
const headerSchema = z.strictObject({ alg: z.string(), kid: z.string(), typ: z.string() })

type JwsKind<Payload> = {
  type: string
  noun: string
  payload: z.ZodType<Payload>
}

export type JwsFlaw = 'malformed' | 'algorithm' | 'type' | 'other_key' | 'signature' | 'payload'

export class InvalidJwsError extends Error {
  readonly flaw: JwsFlaw
  constructor(flaw: JwsFlaw, reason: string) {
    super(reason)
    this.name = 'InvalidJwsError'
    this.flaw = flaw
  }
}

/** Public key for verification. Created by `importReceiptKey` (`shared/client/verification/receipt-key.ts`). */
export type JwsKey = {
  /** Key ID: the first 16 bytes of the SHA-256 of the uncompressed public key, in hex. */
  kid: string
  /** Verifies a signature. @param signature r and s, 32 bytes each */
  verify(signature: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Promise<boolean>
}

/**
 * Verifies a statement and parses its payload. The caller specifies the algorithm, type and key, which are never taken
 * from the text (RFC 8725, 3.1 and 3.11).
 * @throws {InvalidJwsError}
 */
export async function verifyJws<Payload>(
  text: string,
  kind: JwsKind<Payload>,
  publicKey: JwsKey,
): Promise<Payload> {
  const [header, payload, signature, ...more] = text.split('.')
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0)
    throw new InvalidJwsError('malformed', 'it is not a compact JWS of three parts')
  const fields = headerSchema.safeParse(decodeJsonPart(header, 'header'))
  if (!fields.success)
    throw new InvalidJwsError('malformed', 'its header must contain exactly alg, kid and typ')
  const { alg, kid, typ } = fields.data
  if (alg !== JWS_ALGORITHM)
    throw new InvalidJwsError('algorithm', `its algorithm is not ${JWS_ALGORITHM}`)
  if (typ !== kind.type) throw new InvalidJwsError('type', `its type is not ${kind.type}`)
  if (kid !== publicKey.kid)
    throw new InvalidJwsError(
      'other_key',
      'its kid does not match the key that it is verified with',
    )
  const bytes = decodeBase64url(signature)
  if (bytes?.length !== 64)
    throw new InvalidJwsError('malformed', 'its signature is not 64 bytes in base64url')
  if (encodeHex(bytes.subarray(32)) > HALF_ORDER)
    throw new InvalidJwsError('malformed', 'its signature has a high s, which is not accepted')
  if (!(await publicKey.verify(bytes, new Uint8Array(encoder.encode(`${header}.${payload}`)))))
    throw new InvalidJwsError('signature', 'its signature is invalid')
  const read = kind.payload.safeParse(decodeJsonPart(payload, 'payload'))
  if (!read.success)
    throw new InvalidJwsError(
      'payload',
      `its signature is valid, but its payload is not a ${kind.noun} of version 1`,
    )
  return read.data
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function decodeJsonPart(part: string, name: string): unknown {
  const bytes = decodeBase64url(part)
  try {
    if (bytes) return JSON.parse(decoder.decode(bytes))
  } catch {
    // A parse error is reported below, like text that is not base64url.
  }
  throw new InvalidJwsError('malformed', `its ${name} is not base64url-encoded JSON`)
}
