import { WEBHOOK_TOLERANCE_MS } from '../../shared/limits.ts'
import type { RejectionReason } from '../../shared/wire/webhook-source.ts'
import { isSameToken } from '../same-token.ts'
import type { SignatureScheme, SignedRequest } from './scheme.ts'
import { parseTimestamp, signaturesOf, timestampText } from './signature-header.ts'
import { signedContent } from './signed-content.ts'
import type { SourceKey } from './source-keys.ts'
import { isAnySignatureValid } from './verify-signature.ts'

/** `key` is the key that the webhook was signed with. */
export type Verification =
  | { state: 'genuine'; key: SourceKey }
  | { state: 'rejected'; reason: RejectionReason }

/**
 * Verifies that a webhook was signed with one of the keys, and is recent. The signature is checked over the bytes of the
 * body, before anything is parsed.
 */
export async function verifyWebhook(
  keys: readonly SourceKey[],
  request: SignedRequest,
  now: number,
): Promise<Verification> {
  let reason: RejectionReason = 'no_secret'
  for (const key of keys) {
    const found = await verifyWithKey(key, request, now)
    if (found === undefined) return { state: 'genuine', key }
    if (reason !== 'outside_tolerance') reason = found
  }
  return { state: 'rejected', reason }
}

function verifyWithKey(
  sourceKey: SourceKey,
  request: SignedRequest,
  now: number,
): Promise<RejectionReason | undefined> {
  if (!('key' in sourceKey)) return verifyToken(sourceKey.scheme.header, sourceKey.secret, request)
  const { scheme, key, secret } = sourceKey
  return verifySignature(scheme, { key, secret }, request, now)
}

async function verifyToken(
  header: string,
  secret: string,
  { headers }: SignedRequest,
): Promise<RejectionReason | undefined> {
  const sent = Object.hasOwn(headers, header) ? headers[header] : undefined
  if (!sent) return 'missing_signature'
  return (await isSameToken(sent, secret)) ? undefined : 'wrong_signature'
}

async function verifySignature(
  scheme: SignatureScheme,
  key: { key: CryptoKey | undefined; secret: string },
  request: SignedRequest,
  now: number,
): Promise<RejectionReason | undefined> {
  const { algorithm, signature, timestamp } = scheme
  const signatures = signaturesOf(signature, request.headers)
  if (typeof signatures === 'string') return `${signatures}_signature`
  const isInBody = timestamp !== undefined && 'member' in timestamp
  const sentAt = timestamp && !isInBody ? timestampText(timestamp, signature, request) : undefined
  if (timestamp && !isInBody && sentAt === undefined) return 'malformed_signature'
  const content = await signedContent(scheme, request, sentAt)
  if (!content)
    return typeof scheme.content === 'string' ? 'malformed_signature' : 'body_not_signed'
  if (!(await isAnySignatureValid({ algorithm, ...key }, signatures, content)))
    return 'wrong_signature'
  if (!timestamp) return undefined
  const text = isInBody ? timestampText(timestamp, signature, request) : sentAt
  const time = text === undefined ? undefined : parseTimestamp(text, timestamp.unit)
  if (time === undefined) return 'malformed_signature'
  return Math.abs(now - time) <= WEBHOOK_TOLERANCE_MS ? undefined : 'outside_tolerance'
}
