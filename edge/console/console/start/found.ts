/** The first step that an earlier connection has taken: a wallet that is there is not made a second time. */
import type { Wallet } from '../../../../shared/client/core/account.ts'
import type { Connection } from '../connection.ts'
import { type Made, WALLET_NAME } from './steps.ts'

export async function readMade({ client }: Connection): Promise<Made> {
  return madeOf(await client.listWallets().all())
}

/**
 * A group that is there is not gone on with: a usage key may have been given a part in it since, or have made it, and would
 * get what the new key has. Of a usage key nobody knows the text.
 */
export function madeOf(
  wallets: readonly Pick<Wallet, 'name' | 'wallet_address' | 'pkp_id'>[],
): Made {
  const first = wallets.find(({ name }) => name === WALLET_NAME)
  return first ? { wallet: { address: first.wallet_address, pkpId: first.pkp_id } } : {}
}
