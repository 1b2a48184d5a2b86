import type { z } from 'zod'
import { groupRecord, usageKeyRecord } from '../../shared/account-records.ts'
import { groupQuery, wholeGroupAnswer } from '../../shared/wire/groups.ts'
import type { Principal, UsageKey } from '../accounts/account.ts'
import { groupToRead } from '../accounts/existing.ts'
import { walletsIn } from '../accounts/group-wallets.ts'
import { actionsIn } from '../accounts/listed-actions.ts'
import { lists, requireMayReadGroup } from '../accounts/rights.ts'
import { actionRecord } from './action-record.ts'
import type { Operation } from './operation.ts'
import { walletRecord } from './wallet-record.ts'

export const getGroup: Operation<undefined, z.infer<typeof groupQuery>> = {
  method: 'GET',
  path: '/core/v1/get_group',
  summary: 'Returns a group with its wallets, its actions and the usage keys that list it.',
  auth: 'key',
  query: groupQuery,
  answer: wholeGroupAnswer,
  statuses: [403, 404, 503],
  handle: async ({ principal, query: { groupId } }, { keyUses }) => {
    requireMayReadGroup(principal, groupId)
    const { account } = principal
    const group = groupToRead(account, groupId)
    const keys = keysOf(principal, groupId)
    const uses = await keyUses.lastUsedAt(keys.map(({ hash }) => hash))
    return {
      ...groupRecord(group),
      wallets: walletsIn(account, group).map(walletRecord),
      actions: actionsIn(account, group).map((action) => actionRecord(action, principal)),
      keys: keys.map((key) => usageKeyRecord(key, uses.get(key.hash)?.toISOString() ?? null)),
    }
  },
}

/** A usage key gets only itself, because it must not see the permissions of others. */
function keysOf({ account, usageKey }: Principal, groupId: number): UsageKey[] {
  if (usageKey) return [usageKey]
  return [...account.usageKeys.values()].filter((key) => lists(key, groupId))
}
