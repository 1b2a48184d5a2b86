import { walletsResponse } from '../../shared/wire/wallets.ts'
import type { Operation } from './operation.ts'
import { toWalletRecord } from './wallet-record.ts'

/** Lists the account's wallets in the order of their registration. */
export const listWalletsOperation: Operation = {
  method: 'GET',
  path: '/core/v1/list_wallets',
  summary: 'Lists the wallets of the account.',
  auth: 'account_reader',
  list: true,
  responseSchema: walletsResponse,
  handle: async ({ principal, page }, { mirror }) => {
    const { chainTime } = mirror.current()
    const wallets = [...principal.account.wallets.values()]
    return page.of(wallets).map((wallet) => toWalletRecord(wallet, chainTime))
  },
}
