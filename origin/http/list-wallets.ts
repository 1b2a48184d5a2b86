import { walletsAnswer } from '../../shared/wire/wallets.ts'
import type { Operation } from './operation.ts'
import { walletRecord } from './wallet-record.ts'

/** Sorted by registration. */
export const listWallets: Operation = {
  method: 'GET',
  path: '/core/v1/list_wallets',
  summary: 'Lists the wallets of the account.',
  auth: 'account_key',
  list: true,
  answer: walletsAnswer,
  handle: async ({ principal, page }) =>
    page.of([...principal.account.wallets.values()]).map(walletRecord),
}
