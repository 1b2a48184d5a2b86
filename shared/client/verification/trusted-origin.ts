import { fetchEvidence } from '../../attestation/fetch-evidence.ts'
import type { Policy, RuleName } from '../../attestation/policy.ts'
import { requireVerified } from '../../attestation/refused.ts'
import type { Report } from '../../attestation/report.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../limits.ts'

/** An origin with evidence that this client has verified itself. */
export type TrustedOrigin = {
  // Uncompressed P-256 points, 65 bytes each.
  channelKey: Uint8Array
  receiptKey: Uint8Array
  /** Hex of 32 bytes: the application that its receipts must name. */
  composeHash: string
  /** Host names of the certificates in the evidence, where TLS terminates inside the machine. */
  hosts: readonly string[]
  report: Report
  /** Unix milliseconds. After this time, nothing is sealed to it. */
  verifiedUntil: number
  /** @throws {EvidenceUnavailable | EvidenceRefused} */
  verifyAgain(): Promise<TrustedOrigin>
}

export type OriginToVerify = {
  /** URL of the origin, or of an edge that forwards its evidence. */
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  policy: Policy
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Unix milliseconds. */
  now: () => number
  signal?: AbortSignal
}

/**
 * Rules that the keys depend on. The handshake, CAA and the governance contract are not visible on every platform. A
 * policy that names the application is a stronger check than those.
 */
const NEEDED: readonly RuleName[] = ['quote', 'compose hash', 'images', 'evidence files']
const NONCE_BYTES = 32
const CERTIFICATE_FILE = /^cert-(.+)\.pem$/

/**
 * Verifies an origin by its evidence and a fresh quote.
 * @throws {EvidenceUnavailable | EvidenceRefused}
 */
export async function verifyOrigin(origin: OriginToVerify): Promise<TrustedOrigin> {
  const { baseUrl, fetch, policy, random, now, signal } = origin
  // Taken before the first request, so that the evidence is not older than this.
  const at = now()
  const nonce = random(NONCE_BYTES)
  const bundle = await fetchEvidence({ baseUrl, fetch, nonce, now, ...(signal && { signal }) })
  const report = await verifyBundle(bundle, policy, new Date(at))
  requireVerified(report, NEEDED)
  const { keys, composeHash } = report
  if (!keys || composeHash === undefined) throw new Error('evidence that passed names its keys')
  return {
    channelKey: keys.channel,
    receiptKey: keys.receipt,
    composeHash,
    // Rule 4 passed, so all files are covered by the checksums.
    hosts: Object.keys(bundle.files).flatMap((name) => CERTIFICATE_FILE.exec(name)?.[1] ?? []),
    report,
    verifiedUntil: Math.min(at + CHANNEL_KEY_MAX_AGE_MS, keys.channelValidUntil),
    verifyAgain: () => verifyOrigin(origin),
  }
}
