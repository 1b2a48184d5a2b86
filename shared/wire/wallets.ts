/** Bodies and answers of the core API's operations on wallets. */
import { z } from 'zod'
import { addressAnswer, description, hashAnswer, nameOrEmpty } from './fields.ts'

export const createWalletRequest = z.object({
  name: nameOrEmpty.default(''),
  description: description.default(''),
})

export const createWalletAnswer = z.object({ wallet_address: addressAnswer, pkp_id: hashAnswer })

export const walletAnswer = z.object({
  wallet_address: addressAnswer,
  pkp_id: hashAnswer,
  name: z.string(),
  description: z.string(),
  derivation_path: hashAnswer,
})

export const walletsAnswer = z.array(walletAnswer)
