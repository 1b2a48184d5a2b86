/** One verification of the origin, from its evidence to keys that may be sealed to. */
import type { EvidenceBundle } from '../../shared/attestation/evidence.ts'
import { fetchEvidence } from '../../shared/attestation/fetch-evidence.ts'
import type { RuleName } from '../../shared/attestation/policy.ts'
import { EvidenceRefused, requireVerified } from '../../shared/attestation/refused.ts'
import type { Report } from '../../shared/attestation/report.ts'
import { verifyBundle } from '../../shared/attestation/verify.ts'
import { CHANNEL_KEY_MAX_AGE_MS } from '../../shared/limits.ts'
import { requireFreshQuote } from './fresh-quote.ts'
import { askGovernance } from './governance.ts'
import { policyOf, type TrustSettings } from './trust-settings.ts'

export type VerifiedOrigin = {
  report: Report
  keys: NonNullable<Report['keys']>
  /** Unix milliseconds, both. */
  verifiedAt: number
  verifiedUntil: number
}

export type VerifyOriginDeps = {
  settings: TrustSettings & { ORIGIN_URL: string }
  fetch: typeof fetch
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  now: () => number
}

const NONCE_BYTES = 32
/** Of the governance contract's node; the evidence has a time of its own for each answer. */
const GOVERNANCE_WITHIN_MS = 10_000

/**
 * What the edge needs of the seven rules. It can not see the certificate of its connection, which the envelope makes up
 * for, nor does it ask the name server.
 */
const NEEDED: readonly RuleName[] = ['quote', 'compose hash', 'images', 'evidence files']

/**
 * Verifies the origin that answers now.
 * @throws {EvidenceRefused} what it shows does not pass the policy
 * @throws {GovernanceAway}
 * @throws {Error} it did not show anything
 */
export async function verifyOrigin(deps: VerifyOriginDeps): Promise<VerifiedOrigin> {
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
  const report = await verifyBundle(bundle, policyOf(settings), new Date(verifiedAt))
  const needed = GOVERNANCE_RPC === undefined ? NEEDED : [...NEEDED, 'governance' as const]
  requireVerified(report, [...needed])
  requireRoot(report, settings)
  if (!report.keys) throw new EvidenceRefused('evidence files', 'they name no keys')
  const verifiedUntil = Math.min(verifiedAt + CHANNEL_KEY_MAX_AGE_MS, report.keys.channelValidUntil)
  return { report, keys: report.keys, verifiedAt, verifiedUntil }
}

/** The policy says it already; a simulated machine that passed for a real one would be the end of all of it. */
function requireRoot({ verdict }: Report, { ORIGIN_TRUST }: TrustSettings): void {
  const expected = ORIGIN_TRUST === 'hardware' ? 'HARDWARE' : 'SIMULATED'
  if (verdict !== expected) throw new EvidenceRefused('quote', `it is ${verdict}, not ${expected}`)
}

function governanceOf(
  { info }: EvidenceBundle,
  rpcUrl: string,
  send: typeof fetch,
): NonNullable<EvidenceBundle['governance']> | Promise<NonNullable<EvidenceBundle['governance']>> {
  const { app_id: appId, compose_hash: composeHash } = info
  if (!/^[0-9a-f]{40}$/.test(appId) || !/^[0-9a-f]{64}$/.test(composeHash))
    throw new EvidenceRefused('compose hash', 'what /info says is no app id and compose hash')
  const signal = AbortSignal.timeout(GOVERNANCE_WITHIN_MS)
  return askGovernance({ rpcUrl, appId, composeHash }, send, signal)
}
