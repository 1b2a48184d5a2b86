/** The verdict on what was gathered, for a person who sends something to a host because of it. */
import type { EvidenceBundle } from '../../attestation/evidence.ts'
import type { Policy, RuleResult, Verdict } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import type { Missing } from './gather.ts'

/**
 * Stricter than a verifier that can see less: CAA and governance are needed, and HARDWARE is said of a host whose
 * certificate is the machine's alone. A host that TLS ends before is judged without that rule, and is never HARDWARE:
 * else it would be enough to show a real machine's evidence under another name.
 * @param at the time that certificates, collateral and keys are judged by
 */
export async function judge(
  bundle: EvidenceBundle,
  missing: Missing,
  policy: Policy,
  at: Date,
): Promise<Report> {
  const report = await verifyBundle(bundle, policy, at)
  const rules = report.rules.map((rule) => withReason(rule, missing))
  return { ...report, rules, verdict: hostVerdict(report.verdict, rules) }
}

function withReason(rule: RuleResult, missing: Missing): RuleResult {
  if (rule.outcome !== 'not_applicable') return rule
  if (rule.name === 'certificate') return { ...rule, reason: missing.certificate ?? rule.reason }
  if (rule.name === 'CAA' || rule.name === 'governance')
    return { ...rule, outcome: 'failed', reason: missing[rule.name] ?? rule.reason }
  return rule
}

/** What may be said of a host because of these outcomes. */
export function hostVerdict(verdict: Verdict, rules: readonly RuleResult[]): Verdict {
  if (rules.some(({ outcome }) => outcome === 'failed')) return 'FAILED'
  const all = rules.every(({ outcome }) => outcome === 'passed')
  return verdict === 'HARDWARE' && !all ? 'FAILED' : verdict
}
