import type { Charge } from '../../shared/policies/charges.ts'
import type { DenialCode } from '../../shared/policies/denial.ts'
import { evaluate } from '../../shared/policies/evaluate.ts'
import type { PolicyContext } from '../../shared/policies/mismatch.ts'
import type { Policy } from '../../shared/policies/policy.ts'
import { digestOf } from '../signing/digest.ts'
import { overSumReason } from './denial-message.ts'
import type { PolicySums } from './sums/policy-sums.ts'

type SimulatedSum = {
  charge: Charge
  /** Amount that would remain after the signature, or that remains now if the sum would be exceeded. */
  remaining: bigint
  /** Time in Unix milliseconds at which the sum has room for the amount. */
  availableAt?: number | undefined
}

type SimulatedDecision = {
  decision: 'allow' | 'deny'
  code?: DenialCode
  rule?: string
  explanation: readonly string[]
  sums: readonly SimulatedSum[]
}

type SimulatedRequest = {
  policy: Policy
  /** Unix seconds at which the wallet's policy was set. */
  policySetAt: number
  pkpId: string
  /** Untrusted JSON. */
  request: unknown
}

/**
 * Returns the decision that a request for a signature would get now. Reserves and signs nothing.
 * @throws {DatabaseUnavailableError | SumsUnavailableError}
 */
export async function simulateSignature(
  { policy, policySetAt, pkpId, request }: SimulatedRequest,
  context: PolicyContext,
  sums: Pick<PolicySums, 'simulate'>,
): Promise<SimulatedDecision> {
  const decided = evaluate(policy, request, context)
  if (decided.decision === 'deny') return { ...decided, sums: [] }
  const { decision, rule, charges, explanation } = decided
  const digest = digestOf(decided.request)
  const reservation = { pkpId, digest, policyHash: policy.hash, policySetAt, charges }
  const reserved = await sums.simulate(reservation)
  if (reserved.isReserved) return { decision, rule, explanation, sums: reserved.remaining }
  return {
    decision: 'deny',
    code: 'over_sum',
    rule,
    // The last sentence of the explanation says that the rule allows the request.
    explanation: [...explanation.slice(0, -1), overSumReason(reserved)],
    sums: [reserved],
  }
}
