import type { z } from 'zod'
import {
  createWalletWithSignatureResponse,
  createWalletWithSignatureRequest,
} from '../../shared/wire/wallets.ts'
import { freshWallet } from '../keys/fresh-wallet.ts'
import { attestPolicy, NEW_WALLET, termsOfPolicy } from '../policies/attestation.ts'
import type { Operation } from './operation.ts'
import { POLICY_BODY, toPolicyText } from './policy-text.ts'

const schema = createWalletWithSignatureRequest.extend({
  policy: createWalletWithSignatureRequest.shape.policy.transform(
    (given) => given && toPolicyText(given),
  ),
})

/**
 * Derives a wallet without registering or storing it. Only the document of its policy is stored. The wallet is usable
 * only after the admin wallet registers it with the contract, with the name and description that are validated here.
 */
export const createWalletWithSignatureOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/create_wallet_with_signature',
  summary:
    'Derives a wallet for a ChainSecured account, authorized by a signature of its admin wallet (CreateWallet, or CreatePolicyWallet with a policy). The admin wallet then sends registerWalletDerivation, or registerPolicyWallet. Free of charge.',
  auth: 'wallet_signature',
  purpose: ({ policy }) => (policy ? 'CreatePolicyWallet' : 'CreateWallet'),
  terms: ({ policy }) => (policy ? { policyHash: policy.policy.hash } : {}),
  body: { ...POLICY_BODY, schema },
  responseSchema: createWalletWithSignatureResponse,
  handle: async ({ principal, body }, { chain, keyring, policyDocuments, walletCalls }) => {
    const { hash: accountHash } = principal.account
    await walletCalls.takeCreation(accountHash)
    const policy = body.policy?.policy
    if (!policy) {
      const { address, pkpId, derivationPath } = freshWallet(keyring, accountHash)
      return { wallet_address: address, pkp_id: pkpId, derivation_path: derivationPath }
    }
    const terms = termsOfPolicy(policy)
    const { policyHash, changeDelay, isImmutable } = terms
    const fresh = freshWallet(keyring, accountHash, { hash: policyHash, isImmutable })
    await policyDocuments.store(policy)
    const stated = { accountHash, pkpId: fresh.pkpId, ...NEW_WALLET, ...terms }
    return {
      wallet_address: fresh.address,
      pkp_id: fresh.pkpId,
      derivation_path: fresh.derivationPath,
      policy_hash: policyHash,
      change_delay_s: changeDelay,
      is_immutable: isImmutable,
      attestation: attestPolicy(stated, { keyring, chain }),
    }
  },
}
