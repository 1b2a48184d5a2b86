import type { z } from 'zod'
import { groupRecord, usageKeyRecord } from '../../shared/wire/account-records.ts'
import { groupQuery, wholeGroupResponse } from '../../shared/wire/groups.ts'
import { type AccountUsageKey, groupWallets, type Principal } from '../accounts/account.ts'
import { requireReadableGroup } from '../accounts/account-lookups.ts'
import { groupActions } from '../accounts/listed-actions.ts'
import { hasAnyRightIn, requireMayReadGroup } from '../accounts/rights.ts'
import { toActionRecord } from './action-record.ts'
import type { Operation } from './operation.ts'
import { toWalletRecord } from './wallet-record.ts'

export const getGroupOperation: Operation<undefined, z.infer<typeof groupQuery>> = {
  method: 'GET',
  path: '/core/v1/get_group',
  summary: 'Returns a group with its wallets, its actions and the usage keys that list it.',
  auth: 'key',
  query: groupQuery,
  responseSchema: wholeGroupResponse,
  statuses: [403, 404, 503],
  handle: async ({ principal, query: { groupId } }, { keyUses, mirror }) => {
    requireMayReadGroup(principal, groupId)
    const { account } = principal
    const group = requireReadableGroup(account, groupId)
    const { chainTime } = mirror.current()
    const keys = visibleKeys(principal, groupId)
    const uses = await keyUses.lastUsedAt(keys.map(({ hash }) => hash))
    return {
      ...groupRecord(group),
      wallets: groupWallets(account, group).map((wallet) => toWalletRecord(wallet, chainTime)),
      actions: groupActions(account, group).map((action) => toActionRecord(action, principal)),
      keys: keys.map((key) => usageKeyRecord(key, uses.get(key.hash)?.toISOString() ?? null)),
    }
  },
}

/** A usage key without `can_read_account` sees only itself, and not the permissions of other keys. */
function visibleKeys(principal: Principal, groupId: number): AccountUsageKey[] {
  const { account, usageKey, canReadAccount } = principal
  if (usageKey && !canReadAccount) return [usageKey]
  return [...account.usageKeys.values()].filter((key) => hasAnyRightIn(key, groupId))
}
