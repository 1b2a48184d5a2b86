import { z } from 'zod'
import { addressSchema, descriptionSchema, hashSchema, nameOrEmptySchema } from './fields.ts'
import { policyDocumentSchema, policyTermsFields } from './wallet-policies.ts'
import { walletProofFields } from './wallet-proofs.ts'

export const createWalletRequest = z.object({
  name: nameOrEmptySchema.default(''),
  description: descriptionSchema.default(''),
  policy: policyDocumentSchema.optional().meta({
    description:
      'Policy (docs/policies.md) that limits what the wallet may sign. Nobody can get the private key of such a wallet.',
  }),
})

const policyHash = hashSchema.optional().meta({
  description: 'Hash of the policy that holds. Absent if the wallet was created without a policy.',
})

export const createWalletResponse = z.object({
  wallet_address: addressSchema,
  pkp_id: hashSchema,
  policy_hash: policyHash,
})

/**
 * Request to create a wallet that the client registers in its own transaction. A text that is too long is rejected
 * before the client pays.
 */
export const createWalletWithSignatureRequest = createWalletRequest.extend(
  walletProofFields('CreateWallet', 'CreatePolicyWallet'),
)

export const createWalletWithSignatureResponse = createWalletResponse.extend({
  derivation_path: hashSchema.meta({
    description:
      'The admin wallet must register it with registerWalletDerivation, or with registerPolicyWallet and the other fields.',
  }),
  ...z.object(policyTermsFields).partial().shape,
})

export const walletResponse = z.object({
  wallet_address: addressSchema,
  pkp_id: hashSchema,
  name: z.string(),
  description: z.string(),
  derivation_path: hashSchema,
  policy_hash: policyHash,
})

export const walletsResponse = z.array(walletResponse)
