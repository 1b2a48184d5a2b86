import { fetchEvidence } from '../../attestation/fetch-evidence.ts'
import type { Policy, RuleName } from '../../attestation/policy.ts'
import { requireVerified } from '../../attestation/refused.ts'
import type { Report } from '../../attestation/report.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../limits.ts'

/** An origin whose evidence this client has verified itself. */
export type TrustedOrigin = {
  /** Uncompressed points of P-256, 65 bytes each. */
  channelKey: Uint8Array
  receiptKey: Uint8Array
  /** Hex of 32 bytes: the application that its receipts have to name. */
  composeHash: string
  /** Names that the certificates in the evidence are for: where TLS ends in the machine. */
  hosts: readonly string[]
  report: Report
  /** Unix milliseconds; from then on nothing is sealed to it. */
  verifiedUntil: number
  /** @throws {EvidenceUnavailable | EvidenceRefused} */
  verifyAgain(): Promise<TrustedOrigin>
}

export type OriginToVerify = {
  /** Of the origin, or of an edge that passes its evidence on. */
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  policy: Policy
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Unix milliseconds. */
  now: () => number
  signal?: AbortSignal
}

/**
 * What the keys hang on. The handshake, CAA and the governance contract are not seen from everywhere that this runs: a
 * policy that names the application says more than they do.
 */
const NEEDED: readonly RuleName[] = ['quote', 'compose hash', 'images', 'evidence files']
const NONCE_BYTES = 32
const CERTIFICATE_FILE = /^cert-(.+)\.pem$/

/**
 * Verifies an origin by its evidence and a quote of now.
 * @throws {EvidenceUnavailable | EvidenceRefused}
 */
export async function verifyOrigin(origin: OriginToVerify): Promise<TrustedOrigin> {
  const { baseUrl, fetch, policy, random, now, signal } = origin
  // Before the first question: what is shown is as old as that at most.
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
    // Rule 4 has passed: no file is there that the checksums do not name.
    hosts: Object.keys(bundle.files).flatMap((name) => CERTIFICATE_FILE.exec(name)?.[1] ?? []),
    report,
    verifiedUntil: Math.min(at + CHANNEL_KEY_MAX_AGE_MS, keys.channelValidUntil),
    verifyAgain: () => verifyOrigin(origin),
  }
}
