import type { AccountOperations } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'

type Wallets = Pick<AccountOperations, 'createWallet' | 'listWallets' | 'listWalletsInGroup'>

export function wallets(calls: CoreCalls): Wallets {
  return {
    createWallet: (fields = {}, options) => calls.write('create_wallet', fields, options),
    listWallets: (options) => calls.list('list_wallets', {}, options),
    listWalletsInGroup: ({ group_id }, options) =>
      calls.list('list_wallets_in_group', { group_id }, options),
  }
}
