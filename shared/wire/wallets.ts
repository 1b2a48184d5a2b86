import { z } from 'zod'
import { addressSchema, descriptionSchema, hashSchema, nameOrEmptySchema } from './fields.ts'
import { walletProofFields } from './wallet-proofs.ts'

export const createWalletRequest = z.object({
  name: nameOrEmptySchema.default(''),
  description: descriptionSchema.default(''),
})

export const createWalletResponse = z.object({ wallet_address: addressSchema, pkp_id: hashSchema })

/**
 * Request to create a wallet that the client registers in its own transaction. A text that is too long is rejected
 * before the client pays.
 */
export const createWalletWithSignatureRequest = createWalletRequest.extend(
  walletProofFields('CreateWallet'),
)

export const createWalletWithSignatureResponse = createWalletResponse.extend({
  derivation_path: hashSchema.meta({
    description: 'The admin wallet must register it with registerWalletDerivation.',
  }),
})

export const walletResponse = z.object({
  wallet_address: addressSchema,
  pkp_id: hashSchema,
  name: z.string(),
  description: z.string(),
  derivation_path: hashSchema,
})

export const walletsResponse = z.array(walletResponse)
