/** Finds the wallet that the first step created in an earlier connection, so that the wallet is not created again. */
import type { Wallet } from '../../../../shared/client/core/account.ts'
import type { Connection } from '../connection.ts'
import { type Made, WALLET_NAME } from './steps.ts'

export async function readMade({ client }: Connection): Promise<Made> {
  return madeOf(await client.listWallets().all())
}

/**
 * Finds results of earlier first steps that can be reused, which is only the wallet. An existing group is not reused:
 * another usage key may have created the group or have rights in it, and would gain the rights of the new usage key.
 * An existing usage key cannot be reused, because its text cannot be read back.
 */
export function madeOf(
  wallets: readonly Pick<Wallet, 'name' | 'wallet_address' | 'pkp_id'>[],
): Made {
  const first = wallets.find(({ name }) => name === WALLET_NAME)
  return first ? { wallet: { address: first.wallet_address, pkpId: first.pkp_id } } : {}
}
