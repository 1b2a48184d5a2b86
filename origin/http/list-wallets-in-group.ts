import type { z } from 'zod'
import { groupQuery } from '../../shared/wire/groups.ts'
import { walletsAnswer } from '../../shared/wire/wallets.ts'
import { groupToRead } from '../accounts/existing.ts'
import { walletsIn } from '../accounts/group-wallets.ts'
import { requireMayReadGroup } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'
import { walletRecord } from './wallet-record.ts'

export const listWalletsInGroup: Operation<undefined, z.infer<typeof groupQuery>> = {
  method: 'GET',
  path: '/core/v1/list_wallets_in_group',
  summary: 'Lists the wallets that the actions of a group can use.',
  auth: 'key',
  query: groupQuery,
  list: true,
  answer: walletsAnswer,
  statuses: [403, 404],
  handle: async ({ principal, query: { groupId }, page }) => {
    requireMayReadGroup(principal, groupId)
    const { account } = principal
    return page.of(walletsIn(account, groupToRead(account, groupId))).map(walletRecord)
  },
}
