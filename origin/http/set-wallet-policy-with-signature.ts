import type { z } from 'zod'
import {
  setWalletPolicyWithSignatureRequest,
  setWalletPolicyWithSignatureResponse,
} from '../../shared/wire/wallet-policies.ts'
import { simulateAdminWrite } from '../accounts/writer/simulate.ts'
import { attestPolicy } from '../policies/attestation.ts'
import { prepareChange } from '../policies/change.ts'
import type { Operation } from './operation.ts'
import { POLICY_BODY, toPolicyText } from './policy-text.ts'

const schema = setWalletPolicyWithSignatureRequest.extend({
  policy: setWalletPolicyWithSignatureRequest.shape.policy.transform(toPolicyText),
})

/**
 * Stores the document, and returns the arguments with which the admin wallet records its hash in the contract.
 * Simulates the call first, to report a revert early.
 */
export const setWalletPolicyWithSignatureOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/set_wallet_policy_with_signature',
  summary:
    'Stores a policy for a wallet of a ChainSecured account, authorized by a signature of its admin wallet (SetWalletPolicy). The admin wallet then sends setWalletPolicy. Free of charge.',
  auth: 'wallet_signature',
  purpose: 'SetWalletPolicy',
  terms: ({ pkp_id: pkpId, policy: { policy } }) => ({ pkpId, policyHash: policy.hash }),
  body: { ...POLICY_BODY, schema },
  responseSchema: setWalletPolicyWithSignatureResponse,
  statuses: [404, 409],
  handle: async ({ principal, body }, services) => {
    const { chain, keyring, mirror, policyDocuments, walletCalls } = services
    const { account } = principal
    const {
      pkp_id: pkpId,
      replaces,
      policy: { policy },
    } = body
    await walletCalls.takeCreation(account.hash)
    const change = await prepareChange(
      account,
      { pkpId, replaces, policy },
      { documents: policyDocuments, chainTime: mirror.current().chainTime },
    )
    const { terms, atOnce } = change
    const stated = { accountHash: account.hash, pkpId, replaces: change.replaces, ...terms, atOnce }
    const attestation = attestPolicy(stated, { keyring, chain })
    const { policyHash, changeDelay, isImmutable } = terms
    const args = [
      account.hash,
      pkpId,
      change.replaces,
      [policyHash, changeDelay, isImmutable],
      atOnce,
      attestation,
    ]
    await simulateAdminWrite(account.adminWallet, 'setWalletPolicy', args, { chain, mirror })
    return {
      pkp_id: pkpId,
      replaces: change.replaces,
      policy_hash: policyHash,
      change_delay_s: changeDelay,
      is_immutable: isImmutable,
      at_once: atOnce,
      attestation,
    }
  },
}
