import type { z } from 'zod'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import { createWalletResponse, createWalletRequest } from '../../shared/wire/wallets.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import { requireMayCreateWallet } from '../accounts/rights.ts'
import { freshWallet } from '../keys/fresh-wallet.ts'
import type { Operation } from './operation.ts'

export const createWalletOperation: Operation<z.infer<typeof createWalletRequest>> = {
  method: 'POST',
  path: '/core/v1/create_wallet',
  summary: 'Creates a wallet in the account. A usage key needs can_create_pkps.',
  auth: 'key',
  writes: 'registerWalletDerivation',
  body: { schema: createWalletRequest, optional: true },
  responseSchema: createWalletResponse,
  statuses: [403, 404, 409, 503],
  handle: async ({ principal, body, writeId }, { keyring, writer }) => {
    requireMayCreateWallet(principal)
    const fresh = freshWallet(keyring, principal.account.hash)
    const receipt = await writer.write(
      'registerWalletDerivation',
      [principal.keyHash, fresh.pkpId, fresh.derivationPath, body.name, body.description],
      { writeId },
    )
    const { pkpId } = receiptEvent(receipt, 'WalletRegistered')
    return { wallet_address: addressOfPkp(pkpId), pkp_id: pkpId }
  },
}
