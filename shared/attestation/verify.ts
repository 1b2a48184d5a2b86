import { check, CheckFailedError, describeError } from './check-failed.ts'
import { checkCollateral, type CheckedCollateral } from './collateral.ts'
import { ATTESTATION_MAX_BYTES, EVIDENCE_FILES_MAX } from '../limits.ts'
import { bundleSchema, type EvidenceBundle } from './evidence.ts'
import type { Machine } from './machine.ts'
import { firstIssue } from './parse-evidence-json.ts'
import { type Policy, type RuleName, type RuleResult, RULES, type Verdict } from './policy.ts'
import type { Finding, Report } from './report.ts'
import type { TrustRoot } from './root.ts'
import { caaRule } from './rules/caa.ts'
import { certificateRule } from './rules/certificate.ts'
import { composeHashRule } from './rules/compose-hash.ts'
import { evidenceFilesRule } from './rules/evidence-files.ts'
import { governanceRule } from './rules/governance.ts'
import { imagesRule } from './rules/images.ts'
import { quoteRule } from './rules/quote.ts'

/**
 * Evaluates all rules. Makes no network requests. Never throws: malformed or hostile evidence makes a rule fail.
 * @param at time at which certificates, collateral and keys must be valid
 */
export async function verifyBundle(
  bundle: EvidenceBundle,
  policy: Policy,
  at: Date,
): Promise<Report> {
  const findings: Findings = new Map()
  const evidence = await attempt(findings, 'quote', () => validateBundle(bundle, at))
  if (!evidence) return reportOf(findings, undefined)
  const run = <Found extends Finding>(name: RuleName, rule: () => Found | Promise<Found>) =>
    attempt(findings, name, async () => {
      const found = await rule()
      findings.set(name, found)
      return found
    })

  const shown = await run('quote', async () => {
    const collateral = await checkCollateral(evidence.collateral, policy.root, at)
    return { ...(await quoteRule(evidence, collateral, policy, at)), collateral }
  })
  const machine = () => {
    check(shown !== undefined, NOTHING_MEASURED)
    return shown
  }
  await run('compose hash', () =>
    composeHashRule(evidence.info, machine().machine, machine().collateral.root.kind, policy),
  )
  await run('images', () => imagesRule(evidence.info))
  const filesResult = await run('evidence files', () =>
    evidenceFilesRule(evidence, machine().machine, machine().collateral, policy, at),
  )
  await run('certificate', () => certificateRule(evidence))
  await run('CAA', () => caaRule(evidence))
  await run('governance', () => governanceRule(evidence, machine().machine))
  return reportOf(findings, shown && { ...shown, keys: filesResult?.keys })
}

const NOTHING_MEASURED = 'the rule "quote" did not pass, so the measurements are unknown'

/** Findings by rule, in no particular order. To read the findings in order, iterate over `RULES`. */
type Findings = Map<RuleName, Finding | { outcome: 'failed'; reason: string }>

async function attempt<Found>(
  findings: Findings,
  name: RuleName,
  rule: () => Found | Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await rule()
  } catch (error) {
    const reason =
      error instanceof CheckFailedError ? error.message : `rejected: ${describeError(error)}`
    findings.set(name, { outcome: 'failed', reason })
    return undefined
  }
}

/** Validates the bundle's structure and size, because the bundle may have been read from a file. */
function validateBundle(bundle: EvidenceBundle, at: Date): EvidenceBundle {
  check(!Number.isNaN(at.getTime()), 'the verification time is invalid')
  const result = bundleSchema.safeParse(bundle)
  if (!result.success)
    throw new CheckFailedError(`the bundle is invalid: ${firstIssue(result.error)}`)
  const { info, files } = result.data
  const isBounded = info.tcb_info.app_compose.length <= ATTESTATION_MAX_BYTES
  check(isBounded, 'app_compose is too long')
  const hasFew = Object.keys(files).length <= EVIDENCE_FILES_MAX
  check(hasFew, 'there are too many evidence files')
  return result.data
}

type QuoteResult = { machine: Machine; collateral: CheckedCollateral; keys: Report['keys'] }

function reportOf(findings: Findings, shown: QuoteResult | undefined): Report {
  const rules = RULES.map((name, index): RuleResult => {
    const { outcome, reason } = findings.get(name) ?? {
      outcome: 'failed',
      reason: NOTHING_MEASURED,
    }
    return { rule: index + 1, name, outcome, reason }
  })
  const open = RULES.flatMap((name) => {
    const finding = findings.get(name)
    return finding && 'open' in finding ? (finding.open ?? []) : []
  })
  const { machine, collateral, keys } = shown ?? {}
  const { root } = collateral ?? {}
  return {
    verdict: verdictOf(rules, root),
    rules,
    open,
    root: root && { kind: root.kind, spkiSha256: root.spkiSha256, name: root.name },
    tcbStatus: machine?.tcb.status,
    advisoryIds: machine?.tcb.advisoryIds ?? [],
    appId: machine?.app.appId,
    composeHash: machine?.app.composeHash,
    instanceId: machine?.app.instanceId,
    measurements: machine?.quote.measurements,
    keys,
  }
}

function verdictOf(rules: readonly RuleResult[], root: TrustRoot | undefined): Verdict {
  if (!root || rules.some(({ outcome }) => outcome === 'failed')) return 'FAILED'
  return root.kind === 'intel' ? 'HARDWARE' : 'SIMULATED'
}
