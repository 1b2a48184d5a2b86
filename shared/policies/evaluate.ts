import type { Charge } from './charges.ts'
import { type DenialCode, DeniedError } from './denial.ts'
import { explainRequest } from './explain.ts'
import { Calldata } from './known-functions.ts'
import { isMismatch, type Mismatch, type PolicyContext, type Subject } from './mismatch.ts'
import type { Policy } from './policy.ts'
import { readRequest, type SigningRequest } from './request.ts'

export type Decision =
  | {
      decision: 'allow'
      /** Name of the rule. */
      rule: string
      /** Reserve all of them before signing, or deny the request. */
      charges: readonly Charge[]
      /** Sign this, and not what was passed: it is what was checked. */
      request: SigningRequest
      explanation: readonly string[]
    }
  | {
      decision: 'deny'
      code: DenialCode
      /** Name of the rule that denied the request, or of the one that came closest to allowing it. */
      rule?: string
      explanation: readonly string[]
    }

/**
 * Decides whether a policy allows a request. Denies by default; the first matching rule decides. The result depends only
 * on the arguments, and not on what was signed before: the caller reserves `charges`.
 * @param request the JSON that docs/policies.md describes. Untrusted
 */
export function evaluate(policy: Policy, request: unknown, given: PolicyContext): Decision {
  const context = { ...given, wallet: given.wallet.toLowerCase() }
  let subject: Subject | undefined
  try {
    subject = subjectOf(request, context)
    return decide(policy, subject, context)
  } catch (error) {
    if (!(error instanceof DeniedError)) throw error
    return {
      decision: 'deny',
      code: error.code,
      explanation: [
        ...(subject ? explainRequest(subject, policy.scope) : []),
        `Denied: ${error.message}.`,
      ],
    }
  }
}

function subjectOf(given: unknown, { wallet }: PolicyContext): Subject {
  const request = readRequest(given, wallet)
  if (request.kind !== 'transaction') return request
  return { ...request, calldata: new Calldata(request.transaction.data) }
}

function decide(policy: Policy, subject: Subject, context: PolicyContext): Decision {
  let closest: { rule: string; mismatch: Mismatch } | undefined
  for (const compiled of policy.rules) {
    const { kind, name: rule, effect } = compiled.rule
    if (kind !== subject.kind) continue
    const match = compiled.match(subject, context)
    if (isMismatch(match)) {
      const isCloser = !closest || match.step > closest.mismatch.step
      if (effect === 'allow' && isCloser) closest = { rule, mismatch: match }
      continue
    }
    const explanation = explainRequest(subject, policy.scope)
    if (effect === 'deny')
      return {
        decision: 'deny',
        code: 'denied_by_rule',
        rule,
        explanation: [...explanation, `Denied by the rule "${rule}".`],
      }
    const charges = compiled.charges(subject, match)
    if ('code' in charges) return denied(rule, charges, explanation)
    return {
      decision: 'allow',
      rule,
      charges,
      request: requestOf(subject),
      explanation: [...explanation, `Allowed by the rule "${rule}".`],
    }
  }
  const explanation = explainRequest(subject, policy.scope)
  if (closest) return denied(closest.rule, closest.mismatch, explanation)
  return {
    decision: 'deny',
    code: 'no_rule',
    explanation: [
      ...explanation,
      `Denied, because no rule allows requests of the kind ${subject.kind}.`,
    ],
  }
}

function denied(
  rule: string,
  { code, reason }: Pick<Mismatch, 'code' | 'reason'>,
  explanation: readonly string[],
): Decision {
  const sentence = `Denied: the rule "${rule}" does not allow it, because ${reason}.`
  return { decision: 'deny', code, rule, explanation: [...explanation, sentence] }
}

function requestOf(subject: Subject): SigningRequest {
  if (subject.kind !== 'transaction') return subject
  return { kind: 'transaction', transaction: subject.transaction }
}
