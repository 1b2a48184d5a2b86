/** Fetches and judges evidence as far as a web page can. */
import { fetchEvidence } from '../../../shared/attestation/fetch-evidence.ts'
import type { Info } from '../../../shared/attestation/evidence.ts'
import type { Policy, RuleResult } from '../../../shared/attestation/policy.ts'
import type { Report } from '../../../shared/attestation/report.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { askGovernance, GovernanceAway } from '../../trust/governance.ts'

export type Wanted = {
  /** The origin's, from the page. */
  baseUrl: string
  /** A node of the governance contract's chain, where the person has named one. */
  rpcUrl: string | undefined
}

/** For people who look: whichever root and machine, and the page says which. */
const POLICY: Policy = { root: { kind: 'any' }, statuses: ['UpToDate'] }

const NONCE_BYTES = 32
const QUESTIONS_MS = 30_000

/** @throws {EvidenceUnavailable} when there is no evidence to judge */
export async function look({ baseUrl, rpcUrl }: Wanted): Promise<Report> {
  const signal = AbortSignal.timeout(QUESTIONS_MS)
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const bundle = await fetchEvidence({ baseUrl, fetch: ask, nonce, now: Date.now, signal })
  const governance = rpcUrl ? await governanceOf(bundle.info, rpcUrl, signal) : NODE_NOT_NAMED
  const judged = typeof governance === 'string' ? bundle : { ...bundle, governance }
  const report = await verifyBundle(judged, POLICY, new Date())
  const closed =
    typeof governance === 'string' ? { governance, ...CLOSED_TO_PAGES } : CLOSED_TO_PAGES
  return { ...report, rules: report.rules.map((result) => inAPage(result, closed)) }
}

const ask = (url: string | URL | Request, init?: RequestInit) => fetch(url, init)

/**
 * What the contract says, or why it was not asked. A host may write its hex as the rule `compose hash` takes it, which
 * refuses what is no hash: else a host could choose that nobody asks about it.
 */
async function governanceOf(info: Info, rpcUrl: string, signal: AbortSignal) {
  const appId = info.app_id.toLowerCase().replace(/^0x/, '')
  const composeHash = info.compose_hash.toLowerCase()
  // A question is no place for what is no hash.
  if (!/^[0-9a-f]{40}$/.test(appId) || !/^[0-9a-f]{64}$/.test(composeHash)) return NO_HASHES
  try {
    return await askGovernance({ rpcUrl, appId, composeHash }, ask, signal)
  } catch (error) {
    if (error instanceof GovernanceAway) return NODE_CLOSED
    throw error
  }
}

const NODE_NOT_NAMED = 'Name a node of the chain above, and the contract is asked.'
const NODE_CLOSED =
  'The node that you named did not answer, or takes no questions from pages (CORS).'
const NO_HASHES = 'The app id or the compose hash is none.'

/** Why a page can not say more, for the rules that it can not judge. */
type Closed = Partial<Record<RuleResult['name'], string>>
const CLOSED_TO_PAGES: Closed = {
  certificate: 'A browser does not show a page the certificate of its connection.',
  CAA: 'A page can not ask for CAA records.',
}

function inAPage(result: RuleResult, closed: Closed): RuleResult {
  const reason = closed[result.name]
  return result.outcome === 'not_applicable' && reason ? { ...result, reason } : result
}
