import { z } from 'zod'
import { addressAnswer, description, hashAnswer, nameOrEmpty } from './fields.ts'
import { walletProofFields } from './wallet-proofs.ts'

export const createWalletRequest = z.object({
  name: nameOrEmpty.default(''),
  description: description.default(''),
})

export const createWalletAnswer = z.object({ wallet_address: addressAnswer, pkp_id: hashAnswer })

/**
 * The client registers the wallet in its own transaction. A text that is too long is rejected before the client pays.
 */
export const createWalletWithSignatureRequest = createWalletRequest.extend(
  walletProofFields('CreateWallet'),
)

export const createWalletWithSignatureAnswer = createWalletAnswer.extend({
  derivation_path: hashAnswer.meta({
    description: 'The admin wallet must register it with registerWalletDerivation.',
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
