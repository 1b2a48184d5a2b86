import { isTightening } from '../../shared/policies/is-tightening.ts'
import type { Policy } from '../../shared/policies/policy.ts'
import type { Account } from '../accounts/account.ts'
import { type PolicyTerms, termsOfPolicy } from './attestation.ts'
import { PolicyDocumentError, type PolicyDocuments } from './documents.ts'
import { requireChangeablePolicy } from './held-policy.ts'

type RequestedChange = {
  pkpId: string
  /** Hash of the policy that must hold, if the caller named one. */
  replaces: string | undefined
  policy: Policy
}

type PolicyChange = {
  /** Hash of the policy that holds. */
  replaces: string
  terms: PolicyTerms
  /** True if the change takes effect without the delay of the policy that holds. */
  atOnce: boolean
}

/**
 * Prepares a change of a wallet's policy. Stores the new document, because it must exist before the contract records
 * its hash.
 * @throws {PredictedRevertError | DatabaseUnavailableError}
 */
export async function prepareChange(
  account: Account,
  { pkpId, replaces, policy }: RequestedChange,
  { documents, chainTime }: { documents: PolicyDocuments; chainTime: number },
): Promise<PolicyChange> {
  const held = requireChangeablePolicy(account, { pkpId, replaces }, chainTime)
  await documents.store(policy)
  const atOnce =
    held.hash === policy.hash || (await isKnownTightening(held.hash, policy, documents))
  return { replaces: held.hash, terms: termsOfPolicy(policy), atOnce }
}

/** Returns false if the old document was lost, so that the policy can still be replaced after its delay. */
async function isKnownTightening(
  heldHash: string,
  policy: Policy,
  documents: PolicyDocuments,
): Promise<boolean> {
  try {
    return isTightening(await documents.load(heldHash), policy)
  } catch (error) {
    if (error instanceof PolicyDocumentError) return false
    throw error
  }
}
