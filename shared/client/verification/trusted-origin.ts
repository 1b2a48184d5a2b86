import { fetchEvidence } from '../../attestation/fetch-evidence.ts'
import { type Policy, RULES_FOR_KEYS } from '../../attestation/policy.ts'
import { requireVerified } from '../../attestation/require-verified.ts'
import type { Report } from '../../attestation/report.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../limits.ts'

/** An origin whose evidence this client has verified. */
export type TrustedOrigin = {
  // Public keys as uncompressed P-256 points of 65 bytes.
  channelKey: Uint8Array
  receiptKey: Uint8Array
  /** Compose hash of the application, 32 bytes in hex. The origin's receipts must contain the same hash. */
  composeHash: string
  /** Hosts named by the certificates in the evidence. TLS connections to these hosts terminate inside the machine. */
  hosts: readonly string[]
  report: Report
  /** Unix milliseconds after which no call is sealed to the origin. */
  verifiedUntil: number
  /** Verifies the origin's current evidence. @throws {EvidenceUnavailable | EvidenceRefused} */
  verifyAgain(): Promise<TrustedOrigin>
}

export type OriginToVerify = {
  /** URL of the origin, or of an edge that forwards the origin's evidence. */
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  policy: Policy
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  now: () => number
  signal?: AbortSignal
}

const NONCE_BYTES = 32
const CERTIFICATE_FILE = /^cert-(.+)\.pem$/

/**
 * Verifies an origin with a fresh quote for a random nonce. The certificate, CAA and governance rules are not required,
 * because not every platform provides access to the TLS handshake, CAA records and the governance contract. A policy
 * that names the application is a stronger check than these rules.
 * @throws {EvidenceFetchError | EvidenceRejectedError}
 */
export async function verifyOrigin(origin: OriginToVerify): Promise<TrustedOrigin> {
  const { baseUrl, fetch, policy, random, now, signal } = origin
  // The time is read before the first request, so that the evidence is not older than the recorded time.
  const at = now()
  const nonce = random(NONCE_BYTES)
  const bundle = await fetchEvidence({ baseUrl, fetch, nonce, now, ...(signal && { signal }) })
  const report = await verifyBundle(bundle, policy, new Date(at))
  requireVerified(report, RULES_FOR_KEYS)
  const { keys, composeHash } = report
  if (!keys || composeHash === undefined) throw new Error('evidence that passed names its keys')
  return {
    channelKey: keys.channel,
    receiptKey: keys.receipt,
    composeHash,
    // The file names can be trusted, because rule 4 passed, so the checksums cover all certificate files.
    hosts: Object.keys(bundle.files).flatMap((name) => CERTIFICATE_FILE.exec(name)?.[1] ?? []),
    report,
    verifiedUntil: Math.min(at + CHANNEL_KEY_MAX_AGE_MS, keys.channelValidUntil),
    verifyAgain: () => verifyOrigin(origin),
  }
}
