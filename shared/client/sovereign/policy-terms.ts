import type { WalletPolicyDocument } from '../core/account.ts'
import { NotTheApi } from '../failures/transport-errors.ts'
import { InvalidArgument } from './arguments.ts'

/** The parts of a policy that the contract records, with the names of the API. */
export type PolicyTerms = {
  policy_hash: string
  change_delay_s: number
  is_immutable: boolean
}

/**
 * Computes the terms of a policy locally, so that the service cannot replace the policy. Loads the parser and zod, which
 * the verifier also loads.
 * @throws {InvalidArgument} with the path of each problem
 */
export async function policyTermsOf(policy: WalletPolicyDocument): Promise<PolicyTerms> {
  const [{ parsePolicy }, { PolicyError }] = await Promise.all([
    import('../../policies/policy.ts'),
    import('../../policies/policy-error.ts'),
  ])
  try {
    const { hash, document } = parsePolicy(JSON.stringify(policy))
    const { change_delay_s = 0, immutable = false } = document
    return { policy_hash: hash, change_delay_s, is_immutable: immutable }
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    throw new InvalidArgument('policy', error.message)
  }
}

/** @throws {NotTheApi} if the service states other terms than the client computed */
export function requireSameTerms(stated: PolicyTerms, own: PolicyTerms): void {
  const names = ['policy_hash', 'change_delay_s', 'is_immutable'] as const
  const other = names.find((name) => stated[name] !== own[name])
  if (other === undefined) return
  throw new NotTheApi(
    `its ${other} does not match the policy; nothing was sent to the chain`,
    200,
    undefined,
  )
}

/** Encodes the `PolicyTerms` argument of the contract. */
export const contractTerms = ({ policy_hash, change_delay_s, is_immutable }: PolicyTerms) => [
  policy_hash,
  change_delay_s,
  is_immutable,
]
