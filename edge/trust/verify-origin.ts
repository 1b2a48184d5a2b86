import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'
import { fetchEvidence } from '../../shared/attestation/fetch-evidence.ts'
import type { RuleName } from '../../shared/attestation/policy.ts'
import {
  EvidenceRejectedError,
  requireVerified,
} from '../../shared/attestation/require-verified.ts'
import type { Report } from '../../shared/attestation/report.ts'
import { verifyBundle } from '../../shared/attestation/verify.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../shared/limits.ts'
import { requireFreshQuote } from './fresh-quote.ts'
import { queryGovernanceContract } from './governance.ts'
import { attestationPolicy, type TrustSettings } from './trust-settings.ts'

export type VerifiedOrigin = {
  report: Report
  keys: NonNullable<Report['keys']>
  /** Time of the verification, in Unix milliseconds. */
  verifiedAt: number
  verifiedUntil: number
}

type VerifyOriginDeps = {
  settings: TrustSettings & { ORIGIN_URL: string }
  fetch: typeof fetch
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  now: () => number
}

const NONCE_BYTES = 32
/** Timeout of the governance query. The requests for evidence have their own timeouts. */
const GOVERNANCE_WITHIN_MS = 10_000

/**
 * Rules that the evidence must satisfy, a subset of the seven. The edge cannot inspect the TLS certificate of its own
 * connection, and relies on the sealed envelope instead. It does not query DNS for CAA records (`docs/decisions/0030`).
 */
const REQUIRED_RULES: readonly RuleName[] = ['quote', 'compose hash', 'images', 'evidence files']

/**
 * @throws {EvidenceRejectedError} if the evidence does not satisfy the policy
 * @throws {GovernanceUnavailableError} if the governance contract cannot be queried
 * @throws {Error} if the origin provides no evidence
 */
export async function verifyOriginEvidence(deps: VerifyOriginDeps): Promise<VerifiedOrigin> {
  const { settings, now } = deps
  const nonce = deps.random(NONCE_BYTES)
  const bundle = await fetchEvidence({
    baseUrl: settings.ORIGIN_URL,
    fetch: deps.fetch,
    nonce,
    now,
  })
  requireFreshQuote(bundle, nonce)
  const { GOVERNANCE_RPC } = settings
  if (GOVERNANCE_RPC !== undefined)
    bundle.governance = await governanceOf(bundle, GOVERNANCE_RPC, deps.fetch)
  const verifiedAt = now()
  const report = await verifyBundle(bundle, attestationPolicy(settings), new Date(verifiedAt))
  const needed =
    GOVERNANCE_RPC === undefined ? REQUIRED_RULES : [...REQUIRED_RULES, 'governance' as const]
  requireVerified(report, [...needed])
  requireRoot(report, settings)
  if (!report.keys) throw new EvidenceRejectedError('evidence files', 'they contain no keys')
  const verifiedUntil = Math.min(verifiedAt + CHANNEL_KEY_MAX_AGE_MS, report.keys.channelValidUntil)
  return { report, keys: report.keys, verifiedAt, verifiedUntil }
}

/**
 * Checks the root of trust again after the policy has passed. Accepting a simulated machine as a real one would defeat
 * the whole verification.
 */
function requireRoot({ verdict }: Report, { ORIGIN_TRUST }: TrustSettings): void {
  const expected = ORIGIN_TRUST === 'hardware' ? 'HARDWARE' : 'SIMULATED'
  if (verdict !== expected)
    throw new EvidenceRejectedError('quote', `the verdict is ${verdict}, expected ${expected}`)
}

function governanceOf(
  { info }: EvidenceBundle,
  rpcUrl: string,
  send: typeof fetch,
): NonNullable<EvidenceBundle['governance']> | Promise<NonNullable<EvidenceBundle['governance']>> {
  const { app_id: appId, compose_hash: composeHash } = info
  if (!/^[0-9a-f]{40}$/.test(appId) || !/^[0-9a-f]{64}$/.test(composeHash))
    throw new EvidenceRejectedError('compose hash', '/info has no valid app ID and compose hash')
  const signal = AbortSignal.timeout(GOVERNANCE_WITHIN_MS)
  return queryGovernanceContract({ rpcUrl, appId, composeHash }, send, signal)
}
