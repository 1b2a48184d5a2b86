import type { z } from 'zod'
import {
  createWalletWithSignatureResponse,
  createWalletWithSignatureRequest,
} from '../../shared/wire/wallets.ts'
import { freshWallet } from '../keys/fresh-wallet.ts'
import type { Operation } from './operation.ts'

/**
 * Creates a wallet without registering or storing it. The wallet is usable only after the admin wallet registers it
 * with the contract, with the name and description that are validated here.
 */
export const createWalletWithSignatureOperation: Operation<
  z.infer<typeof createWalletWithSignatureRequest>
> = {
  method: 'POST',
  path: '/core/v1/create_wallet_with_signature',
  summary:
    'Derives a wallet for a ChainSecured account, authorized by a signature of its admin wallet (CreateWallet). The admin wallet then sends registerWalletDerivation. Free of charge.',
  auth: 'wallet_signature',
  purpose: 'CreateWallet',
  body: { schema: createWalletWithSignatureRequest },
  responseSchema: createWalletWithSignatureResponse,
  handle: async ({ principal }, { keyring, walletCalls }) => {
    const { hash } = principal.account
    await walletCalls.takeCreation(hash)
    const { address, pkpId, derivationPath } = freshWallet(keyring, hash)
    return { wallet_address: address, pkp_id: pkpId, derivation_path: derivationPath }
  },
}
