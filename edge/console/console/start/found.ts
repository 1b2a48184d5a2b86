import type { Wallet } from '../../../../shared/client/core/account.ts'
import type { Connection } from '../connection.ts'
import { type Made, WALLET_NAME } from './steps.ts'

export async function readMade({ client }: Connection): Promise<Made> {
  return madeOf(await client.listWallets().all())
}

/**
 * Reuses only the wallet. Another usage key may have created an existing group or have rights in it, and would gain the
 * rights of the new usage key. The text of an existing usage key cannot be read back.
 */
export function madeOf(
  wallets: readonly Pick<Wallet, 'name' | 'wallet_address' | 'pkp_id'>[],
): Made {
  const first = wallets.find(({ name }) => name === WALLET_NAME)
  return first ? { wallet: { address: first.wallet_address, pkpId: first.pkp_id } } : {}
}
