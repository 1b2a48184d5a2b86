import type { Report } from './report.ts'
import type { RuleName } from './policy.ts'

/** The evidence failed verification. Nothing was sent to the host that served the evidence. */
export class EvidenceRejectedError extends Error {
  readonly rule: RuleName
  readonly reason: string
  /** Undefined if not all rules were evaluated. */
  readonly report: Report | undefined

  constructor(rule: RuleName, reason: string, report?: Report) {
    super(`the evidence failed the rule "${rule}": ${reason}`)
    this.name = 'EvidenceRejectedError'
    this.rule = rule
    this.reason = reason
    this.report = report
  }
}

/** @throws {EvidenceRejectedError} for the first rule that failed, or that is in `needed` and did not pass */
export function requireVerified(report: Report, needed: readonly RuleName[]): void {
  for (const { name, outcome, reason } of report.rules)
    if (outcome === 'failed' || (outcome === 'not_applicable' && needed.includes(name)))
      throw new EvidenceRejectedError(name, reason, report)
  if (report.verdict === 'FAILED')
    throw new EvidenceRejectedError('quote', 'the evidence did not pass', report)
}
