import type { z } from 'zod'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import { createWalletResponse, createWalletRequest } from '../../shared/wire/wallets.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import { requireMayCreateWallet } from '../accounts/rights.ts'
import { freshWallet } from '../keys/fresh-wallet.ts'
import { termsOfPolicy } from '../policies/attestation.ts'
import type { Operation } from './operation.ts'
import { POLICY_BODY, toPolicyText } from './policy-text.ts'

const schema = createWalletRequest.extend({
  policy: createWalletRequest.shape.policy.transform((given) => given && toPolicyText(given)),
})

export const createWalletOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/create_wallet',
  summary:
    'Creates a wallet in the account, optionally with a policy. A usage key needs can_create_pkps.',
  auth: 'key',
  writes: ({ policy }) => (policy ? 'registerPolicyWallet' : 'registerWalletDerivation'),
  body: { ...POLICY_BODY, schema, optional: true },
  responseSchema: createWalletResponse,
  statuses: [403, 404, 409, 503],
  handle: async ({ principal, body, writeId, audit }, { keyring, policyDocuments, writer }) => {
    requireMayCreateWallet(principal)
    const { name, description } = body
    const policy = body.policy?.policy
    if (!policy) {
      const fresh = freshWallet(keyring, principal.account.hash)
      const receipt = await writer.write(
        'registerWalletDerivation',
        [principal.keyHash, fresh.pkpId, fresh.derivationPath, name, description],
        { writeId, audit: audit() },
      )
      const { pkpId } = receiptEvent(receipt, 'WalletRegistered')
      return { wallet_address: addressOfPkp(pkpId), pkp_id: pkpId }
    }
    const { policyHash, changeDelay, isImmutable } = termsOfPolicy(policy)
    const fresh = freshWallet(keyring, principal.account.hash, { hash: policyHash, isImmutable })
    await policyDocuments.store(policy)
    const receipt = await writer.write(
      'registerPolicyWallet',
      [
        principal.keyHash,
        fresh.pkpId,
        fresh.derivationPath,
        name,
        description,
        [policyHash, changeDelay, isImmutable],
        '0x',
      ],
      { writeId, audit: audit() },
    )
    const set = receiptEvent(receipt, 'WalletPolicySet')
    return {
      wallet_address: addressOfPkp(set.pkpId),
      pkp_id: set.pkpId,
      policy_hash: set.policyHash,
    }
  },
}
