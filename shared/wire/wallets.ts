/** Bodies and answers of the core API's operations on wallets. */
import { z } from 'zod'
import { addressAnswer, description, hashAnswer, nameOrEmpty } from './fields.ts'
import { walletProofFields } from './wallet-proofs.ts'

export const createWalletRequest = z.object({
  name: nameOrEmpty.default(''),
  description: description.default(''),
})

export const createWalletAnswer = z.object({ wallet_address: addressAnswer, pkp_id: hashAnswer })

/** The texts go into the client's own transaction: it hears here, before it pays for it, that one is too long. */
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
