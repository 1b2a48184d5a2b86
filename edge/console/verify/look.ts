/** Fetches and judges evidence as far as a web page can. */
import { fetchEvidence } from '../../../shared/attestation/fetch-evidence.ts'
import type { Policy, RuleResult } from '../../../shared/attestation/policy.ts'
import type { Report } from '../../../shared/attestation/report.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { askGovernance, type Governance } from '../../trust/governance.ts'

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

/** @throws {Error} when the evidence, or the node that was named, can not be reached */
export async function look({ baseUrl, rpcUrl }: Wanted): Promise<Report> {
  const ask = (url: string | URL | Request, init?: RequestInit) => fetch(url, init)
  const signal = AbortSignal.timeout(QUESTIONS_MS)
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const bundle = await fetchEvidence({ baseUrl, fetch: ask, nonce, now: Date.now, signal })
  const { app_id: appId, compose_hash: composeHash } = bundle.info
  let governance: Governance | undefined
  // What is no hash is not put into a question; the rules refuse it by name.
  if (rpcUrl && /^[0-9a-f]{40}$/.test(appId) && /^[0-9a-f]{64}$/.test(composeHash))
    governance = await askGovernance({ rpcUrl, appId, composeHash }, ask, signal)
  const judged = { ...bundle, ...(governance && { governance }) }
  const report = await verifyBundle(judged, POLICY, new Date())
  return { ...report, rules: report.rules.map(inAPage) }
}

/** Why a page can not say more, for the rules that it can not judge. */
const CLOSED_TO_PAGES: Partial<Record<RuleResult['name'], string>> = {
  certificate: 'A browser does not show a page the certificate of its connection.',
  CAA: 'A page can not ask for CAA records.',
  governance: 'Name a node of the chain below, and the contract is asked.',
}

function inAPage(result: RuleResult): RuleResult {
  const reason = CLOSED_TO_PAGES[result.name]
  return result.outcome === 'not_applicable' && reason ? { ...result, reason } : result
}
