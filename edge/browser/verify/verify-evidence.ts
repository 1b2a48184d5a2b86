import { fetchEvidence } from '../../../shared/attestation/fetch-evidence.ts'
import type { Info } from '../../../shared/attestation/evidence.ts'
import type { Policy, RuleResult } from '../../../shared/attestation/policy.ts'
import type { Report } from '../../../shared/attestation/report.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { queryGovernanceContract, GovernanceUnavailableError } from '../../trust/governance.ts'

type VerifyTarget = {
  baseUrl: string
  /** URL of a node of the governance contract's chain; undefined if the person has not entered one. */
  rpcUrl: string | undefined
}

/** It accepts any root and machine, because the page shows both to the reader. */
const POLICY: Policy = { root: { kind: 'any' }, statuses: ['UpToDate'] }

const NONCE_BYTES = 32
const TIMEOUT_MS = 30_000

/** @throws {EvidenceUnavailable} if there is no evidence to verify */
export async function verifyEvidence({ baseUrl, rpcUrl }: VerifyTarget): Promise<Report> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const bundle = await fetchEvidence({ baseUrl, fetch: browserFetch, nonce, now: Date.now, signal })
  const governance = rpcUrl ? await readGovernance(bundle.info, rpcUrl, signal) : NODE_NOT_NAMED
  const bundleWithGovernance = typeof governance === 'string' ? bundle : { ...bundle, governance }
  const report = await verifyBundle(bundleWithGovernance, POLICY, new Date())
  const unchecked =
    typeof governance === 'string' ? { governance, ...UNCHECKED_IN_BROWSER } : UNCHECKED_IN_BROWSER
  return { ...report, rules: report.rules.map((result) => explainUnchecked(result, unchecked)) }
}

const browserFetch = (url: string | URL | Request, init?: RequestInit) => fetch(url, init)

/**
 * Normalizes hex in the same way as the rule `compose hash`, so that a host cannot avoid the query by formatting the
 * hash differently.
 */
async function readGovernance(info: Info, rpcUrl: string, signal: AbortSignal) {
  const appId = info.app_id.toLowerCase().replace(/^0x/, '')
  const composeHash = info.compose_hash.toLowerCase()
  // Only valid hashes are sent to the node.
  if (!/^[0-9a-f]{40}$/.test(appId) || !/^[0-9a-f]{64}$/.test(composeHash)) return NO_HASHES
  try {
    return await queryGovernanceContract({ rpcUrl, appId, composeHash }, browserFetch, signal)
  } catch (error) {
    if (error instanceof GovernanceUnavailableError) return NODE_UNREACHABLE
    throw error
  }
}

const NODE_NOT_NAMED = 'Enter an RPC URL above to check the contract.'
const NODE_UNREACHABLE =
  'The node did not respond, or does not allow requests from web pages (CORS).'
const NO_HASHES = 'The app ID or the compose hash is invalid.'

type UncheckedRules = Partial<Record<RuleResult['name'], string>>
const UNCHECKED_IN_BROWSER: UncheckedRules = {
  certificate: 'Web pages cannot read the TLS certificate of a connection.',
  CAA: 'Web pages cannot query CAA records.',
}

function explainUnchecked(result: RuleResult, unchecked: UncheckedRules): RuleResult {
  const reason = unchecked[result.name]
  return result.outcome === 'not_applicable' && reason ? { ...result, reason } : result
}
