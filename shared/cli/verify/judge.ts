/** The verdict on a host, for a person who will rely on it to send something there. */
import type { EvidenceBundle } from '../../attestation/evidence.ts'
import type { Policy, RuleResult, Verdict } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import type { Missing } from './gather.ts'

/**
 * Applies stricter rules than `verifyBundle`: CAA and governance are required, and HARDWARE requires that the host's
 * certificate is the machine's own. A host with TLS terminated before the machine is judged without that rule, and
 * never as HARDWARE. Otherwise, presenting a real machine's evidence under another name would be enough.
 * @param at time at which certificates, collateral and keys are judged
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

/** Returns the verdict that these outcomes allow for a host. */
export function hostVerdict(verdict: Verdict, rules: readonly RuleResult[]): Verdict {
  if (rules.some(({ outcome }) => outcome === 'failed')) return 'FAILED'
  const all = rules.every(({ outcome }) => outcome === 'passed')
  return verdict === 'HARDWARE' && !all ? 'FAILED' : verdict
}
