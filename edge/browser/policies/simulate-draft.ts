import type { SimulatedSignature } from '../../../shared/client/core/account.ts'
import { ZERO_ADDRESS } from '../../../shared/policies/address.ts'
import { evaluate } from '../../../shared/policies/evaluate.ts'
import type { Policy } from '../../../shared/policies/policy.ts'

export type Simulation = {
  request: Record<string, unknown>
  /** CID of the action that requests the signature. */
  action: string | undefined
  /** Policy to evaluate. */
  policy: Policy
}

/** Simulates a signature of a wallet that does not exist yet: its sums are empty, and `@wallet` has no address. */
export async function simulateDraft({
  request,
  action,
  policy,
}: Simulation): Promise<SimulatedSignature> {
  const decision = evaluate(policy, request, {
    wallet: ZERO_ADDRESS,
    action: action ?? null,
    now: Date.now(),
  })
  const charges = decision.decision === 'allow' ? decision.charges : []
  return {
    decision: decision.decision,
    ...('code' in decision && { code: decision.code }),
    ...(decision.rule !== undefined && { rule: decision.rule }),
    policy_hash: policy.hash,
    explanation: [...decision.explanation],
    // Requests with a charge above its maximum were denied, so each charge fits into an empty sum.
    sums: charges.map(({ sum, key, amount, max, window_s }) => ({
      sum,
      key,
      added: String(amount),
      remaining: String(max - amount),
      max: String(max),
      window_s,
    })),
  }
}
