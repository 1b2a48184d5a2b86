import { isTightening } from '../../policies/is-tightening.ts'
import { type Policy, parsePolicy } from '../../policies/policy.ts'
import { PolicyError } from '../../policies/policy-error.ts'
import type { PolicyHistory } from './history.ts'
import { ProofRefusedError, prove } from './proof-error.ts'

/** Policies by their hash. */
export type Policies = ReadonlyMap<string, Policy>

/**
 * Parses the documents, and compares them with the hashes and terms that the contract records. Requires the document of
 * the policy that holds.
 * @throws {ProofRefusedError}
 */
export function readDocuments(texts: readonly string[], history: PolicyHistory): Policies {
  const recorded = [...history.held, ...(history.pending ? [history.pending] : [])]
  const holding = history.held.at(-1)!.policy_hash
  const policies = new Map<string, Policy>()
  for (const text of texts) {
    const policy = parsedDocument(text)
    const { hash, document } = policy
    const terms = recorded.find(({ policy_hash }) => policy_hash === hash)
    prove(
      terms !== undefined,
      'unknown_document',
      `the hash of a document is ${hash}, which the contract never recorded for the wallet; ${holding} holds`,
    )
    prove(
      terms.change_delay_s === (document.change_delay_s ?? 0) &&
        terms.is_immutable === (document.immutable ?? false),
      'other_terms',
      `the contract records another delay or mutability than the document of ${hash} has`,
    )
    policies.set(hash, policy)
  }
  prove(
    policies.has(holding),
    'missing_document',
    `the document of the policy ${holding} is missing`,
  )
  for (const { from, to } of history.atOnce) requireTightening(policies.get(from), policies.get(to))
  return policies
}

function parsedDocument(text: string): Policy {
  let policy
  try {
    policy = parsePolicy(text)
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    throw new ProofRefusedError('invalid_document', `a document is not a policy: ${error.message}`)
  }
  prove(policy.canonical === text, 'invalid_document', 'a document is not in canonical form')
  return policy
}

/** Does nothing unless both documents are available. The payer that attested the change is then trusted. */
function requireTightening(from: Policy | undefined, to: Policy | undefined): void {
  if (!from || !to) return
  prove(
    isTightening(from, to),
    'loosened_at_once',
    `the policy ${to.hash} replaced ${from.hash} at once, although it does not tighten it`,
  )
}
