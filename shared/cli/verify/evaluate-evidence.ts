import type { EvidenceBundle } from '../../attestation/evidence.ts'
import type { Policy, RuleResult, Verdict } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import type { MissingInputs } from './gather-evidence.ts'

/**
 * Evaluates the evidence of a host. Stricter than `verifyBundle`: CAA and governance are required, and the verdict
 * HARDWARE requires that the host's certificate is the machine's own. If TLS terminates before the machine, the
 * certificate rule is skipped, but the verdict is never HARDWARE. Otherwise, a host could obtain that verdict with a
 * real machine's evidence under another name.
 * @param at time at which certificates, collateral and keys must be valid
 */
export async function evaluateEvidence(
  bundle: EvidenceBundle,
  missing: MissingInputs,
  policy: Policy,
  at: Date,
): Promise<Report> {
  const report = await verifyBundle(bundle, policy, at)
  const rules = report.rules.map((rule) => withReason(rule, missing))
  return { ...report, rules, verdict: hostVerdict(report.verdict, rules) }
}

function withReason(rule: RuleResult, missing: MissingInputs): RuleResult {
  if (rule.outcome !== 'not_applicable') return rule
  if (rule.name === 'certificate') return { ...rule, reason: missing.certificate ?? rule.reason }
  if (rule.name === 'CAA' || rule.name === 'governance')
    return { ...rule, outcome: 'failed', reason: missing[rule.name] ?? rule.reason }
  return rule
}

/** @param verdict verdict on the evidence alone */
export function hostVerdict(verdict: Verdict, rules: readonly RuleResult[]): Verdict {
  if (rules.some(({ outcome }) => outcome === 'failed')) return 'FAILED'
  const all = rules.every(({ outcome }) => outcome === 'passed')
  return verdict === 'HARDWARE' && !all ? 'FAILED' : verdict
}
