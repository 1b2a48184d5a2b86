import type { AccountOperations, WalletPolicyDocument } from '../core/account.ts'
import type { CallOptions } from '../options.ts'
import type { AccountContract } from './account-contract.ts'
import type { SendWithProof } from './send-with-proof.ts'
import { nameAndDescription } from './group-writes.ts'
import { contractTerms, type PolicyTerms, policyTermsOf, requireSameTerms } from './policy-terms.ts'

type DerivedWallet = { wallet_address: string; pkp_id: string; derivation_path: string }
type DerivedPolicyWallet = DerivedWallet & PolicyTerms & { attestation: string }

const PATH = 'create_wallet_with_signature'

/**
 * Creates a wallet. The service derives the wallet under a path that the service chooses, and a transaction of the
 * admin registers the wallet. If the transaction is never mined, nothing needs to be undone.
 */
export function createWallet(
  contract: AccountContract,
  askWithProof: SendWithProof,
): AccountOperations['createWallet'] {
  const createPlain = async (texts: readonly string[], options?: CallOptions) => {
    const [name, description] = texts
    const { wallet_address, pkp_id, derivation_path } = await askWithProof<DerivedWallet>(
      { purpose: 'CreateWallet' },
      PATH,
      { name, description },
      options,
    )
    const what = `register wallet ${wallet_address}`
    const args = [pkp_id, derivation_path, ...texts]
    await contract.write(what, 'registerWalletDerivation', args, options)
    return { wallet_address, pkp_id }
  }

  const createWithPolicy = async (
    texts: readonly string[],
    policy: WalletPolicyDocument,
    options?: CallOptions,
  ) => {
    const [name, description] = texts
    const terms = await policyTermsOf(policy)
    const { policy_hash } = terms
    const derived = await askWithProof<DerivedPolicyWallet>(
      { purpose: 'CreatePolicyWallet', terms: { policyHash: policy_hash } },
      PATH,
      { name, description, policy },
      options,
    )
    requireSameTerms(derived, terms)
    const { wallet_address, pkp_id, derivation_path, attestation } = derived
    const args = [pkp_id, derivation_path, ...texts, contractTerms(terms), attestation]
    const what = `register wallet ${wallet_address} under policy ${policy_hash}`
    await contract.write(what, 'registerPolicyWallet', args, options)
    return { wallet_address, pkp_id, policy_hash }
  }

  return async ({ policy, ...fields } = {}, options) => {
    const texts = nameAndDescription(fields)
    return policy === undefined
      ? createPlain(texts, options)
      : createWithPolicy(texts, policy, options)
  }
}
