import type { z } from 'zod'
import { optionalGroupQuery } from '../../shared/wire/groups.ts'
import { actionsResponse } from '../../shared/wire/registered-actions.ts'
import type { Principal } from '../accounts/account.ts'
import { requireReadableGroup } from '../accounts/account-lookups.ts'
import { groupActions, accountActions, type ListedAction } from '../accounts/listed-actions.ts'
import { requireMayReadAccount, requireMayReadGroup } from '../accounts/rights.ts'
import { toActionRecord } from './action-record.ts'
import type { Operation } from './operation.ts'

/** A usage key without `can_read_account` must specify a group in which it has permissions. */
export const listActionsOperation: Operation<undefined, z.infer<typeof optionalGroupQuery>> = {
  method: 'GET',
  path: '/core/v1/list_actions',
  summary:
    'Lists the actions of the account. With group_id, lists only the actions that the group permits.',
  auth: 'key',
  query: optionalGroupQuery,
  list: true,
  responseSchema: actionsResponse,
  statuses: [403, 404],
  handle: async ({ principal, query: { groupId }, page }) =>
    page.of(visibleActions(principal, groupId)).map((action) => toActionRecord(action, principal)),
}

function visibleActions(principal: Principal, groupId: number | undefined): ListedAction[] {
  const { account } = principal
  if (groupId === undefined) {
    requireMayReadAccount(principal)
    return accountActions(account)
  }
  requireMayReadGroup(principal, groupId)
  return groupActions(account, requireReadableGroup(account, groupId))
}
