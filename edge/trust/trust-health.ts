/** Trust state in `GET /health`: what was verified, when, and under which root certificate. */
import type { Measurements, Verdict } from '../../shared/attestation/policy.ts'
import { EvidenceRejectedError } from '../../shared/attestation/require-verified.ts'
import { GovernanceUnavailableError } from './governance.ts'
import type { VerifiedOrigin } from './verify-origin.ts'

/**
 * Reason why no new keys were obtained. It is only a name, because the edge must not publish text from an unverified
 * origin.
 */
export type TrustReason =
  | 'not_verified_yet'
  | 'origin_away'
  | 'governance_away'
  /** The evidence was rejected. The suffix names the rule that failed, for example `refused_evidence_files`. */
  | `refused_${string}`
  /** The edge's own `OriginTrust` object does not respond. */
  | 'trust_object_away'

export type TrustHealth = {
  verdict: Verdict | null
  /** Time of the verification (RFC 3339). Null if the origin is not verified. */
  verified_at: string | null
  verified_until: string | null
  root: { kind: 'intel' | 'simulated'; name: string; spki_sha256: string } | null
  tcb_status: string | null
  app_id: string | null
  compose_hash: string | null
  measurements: (Measurements & { rtmr3: string }) | null
  /** Present if the last verification failed, or if no unexpired verification exists. */
  reason?: TrustReason
}

export function unverifiedHealth(reason: TrustReason): TrustHealth {
  return {
    verdict: null,
    verified_at: null,
    verified_until: null,
    root: null,
    tcb_status: null,
    app_id: null,
    compose_hash: null,
    measurements: null,
    reason,
  }
}

/** @param reason why the last renewal of the keys failed; absent if it succeeded */
export function verifiedHealth(origin: VerifiedOrigin, reason?: TrustReason): TrustHealth {
  const { report, verifiedAt, verifiedUntil } = origin
  const { root } = report
  return {
    verdict: report.verdict,
    verified_at: new Date(verifiedAt).toISOString(),
    verified_until: new Date(verifiedUntil).toISOString(),
    root: root ? { kind: root.kind, name: root.name, spki_sha256: root.spkiSha256 } : null,
    tcb_status: report.tcbStatus ?? null,
    app_id: report.appId ?? null,
    compose_hash: report.composeHash ?? null,
    measurements: report.measurements ?? null,
    ...(reason && { reason }),
  }
}

export function trustReason(error: unknown): TrustReason {
  if (error instanceof EvidenceRejectedError)
    return `refused_${error.rule.toLowerCase().replaceAll(' ', '_')}`
  if (error instanceof GovernanceUnavailableError) return 'governance_away'
  return 'origin_away'
}
