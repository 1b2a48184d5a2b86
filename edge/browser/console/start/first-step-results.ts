import type { Wallet } from '../../../../shared/client/core/account.ts'
import type { Connection } from '../connection.ts'
import { type FirstStepResults, WALLET_NAME } from './first-steps.ts'

export async function readFirstStepResults({ client }: Connection): Promise<FirstStepResults> {
  return resultsFromWallets(await client.listWallets().all())
}

/**
 * Reuses only the wallet. Another usage key may have created an existing group or have rights in it, and would gain the
 * rights of the new usage key. The text of an existing usage key cannot be read back.
 */
export function resultsFromWallets(
  wallets: readonly Pick<Wallet, 'name' | 'wallet_address' | 'pkp_id'>[],
): FirstStepResults {
  const first = wallets.find(({ name }) => name === WALLET_NAME)
  return first ? { wallet: { address: first.wallet_address, pkpId: first.pkp_id } } : {}
}
