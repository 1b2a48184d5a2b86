import type { z } from 'zod'
import { groupQuery } from '../../shared/wire/groups.ts'
import { walletsResponse } from '../../shared/wire/wallets.ts'
import { groupWallets } from '../accounts/account.ts'
import { requireReadableGroup } from '../accounts/account-lookups.ts'
import { requireMayReadGroup } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'
import { toWalletRecord } from './wallet-record.ts'

export const listWalletsInGroupOperation: Operation<undefined, z.infer<typeof groupQuery>> = {
  method: 'GET',
  path: '/core/v1/list_wallets_in_group',
  summary: 'Lists the wallets that the actions of a group can use.',
  auth: 'key',
  query: groupQuery,
  list: true,
  responseSchema: walletsResponse,
  statuses: [403, 404],
  handle: async ({ principal, query: { groupId }, page }, { mirror }) => {
    requireMayReadGroup(principal, groupId)
    const { account } = principal
    const { chainTime } = mirror.current()
    return page
      .of(groupWallets(account, requireReadableGroup(account, groupId)))
      .map((wallet) => toWalletRecord(wallet, chainTime))
  },
}
