/** Request and response bodies of the core API's wallet operations. */
import { z } from 'zod'
import { addressAnswer, description, hashAnswer, nameOrEmpty } from './fields.ts'
import { walletProofFields } from './wallet-proofs.ts'

export const createWalletRequest = z.object({
  name: nameOrEmpty.default(''),
  description: description.default(''),
})

export const createWalletAnswer = z.object({ wallet_address: addressAnswer, pkp_id: hashAnswer })

/**
 * The client puts these texts into its own transaction. Checking them here rejects a text that is too long before the
 * client pays for the transaction.
 */
export const createWalletWithSignatureRequest = createWalletRequest.extend(
  walletProofFields('CreateWallet'),
)

export const createWalletWithSignatureAnswer = createWalletAnswer.extend({
  derivation_path: hashAnswer.meta({
    description: 'To be registered by the admin wallet: registerWalletDerivation.',
  }),
})

export const walletAnswer = z.object({
  wallet_address: addressAnswer,
  pkp_id: hashAnswer,
  name: z.string(),
  description: z.string(),
  derivation_path: hashAnswer,
})

export const walletsAnswer = z.array(walletAnswer)
