import { randomBytes } from 'node:crypto'
import { hexlify, zeroPadValue } from 'ethers'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { createWalletRequest } from '../../shared/wire/core.ts'
import { addressOf } from '../keys/keyring.ts'
import type { Operation } from './operation.ts'

/** Derives a wallet under a fresh random path and registers it with the account. */
export const createWallet: Operation<z.infer<typeof createWalletRequest>> = {
  method: 'POST',
  path: '/core/v1/create_wallet',
  auth: 'key',
  body: { schema: createWalletRequest, optional: true },
  handle: async ({ principal, body }, { keyring, writer }) => {
    if (principal.usageKey && !principal.usageKey.canCreatePkps) {
      throw new ApiError(
        403,
        'This usage key may not create wallets.',
        'Use the account key, or a usage key with can_create_pkps.',
      )
    }
    const account = principal.account.hash
    const path = hexlify(randomBytes(32))
    const address = addressOf(keyring.walletKey(account, path))
    const pkpId = zeroPadValue(address, 32).toLowerCase()
    await writer.write('registerWallet', [account, pkpId, path, body.name, body.description])
    return { wallet_address: address, pkp_id: pkpId }
  },
}
