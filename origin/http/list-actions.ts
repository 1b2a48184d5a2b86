import type { z } from 'zod'
import { maybeGroupQuery } from '../../shared/wire/groups.ts'
import { actionsAnswer } from '../../shared/wire/registered-actions.ts'
import type { Principal } from '../accounts/account.ts'
import { groupToRead } from '../accounts/existing.ts'
import { actionsIn, actionsOf, type ListedAction } from '../accounts/listed-actions.ts'
import { requireMaster, requireMayReadGroup } from '../accounts/rights.ts'
import { actionRecord } from './action-record.ts'
import type { Operation } from './operation.ts'

/** A usage key must name a group in which it has permissions. */
export const listActions: Operation<undefined, z.infer<typeof maybeGroupQuery>> = {
  method: 'GET',
  path: '/core/v1/list_actions',
  summary: 'Lists the actions of the account, or with group_id the actions that the group permits.',
  auth: 'key',
  query: maybeGroupQuery,
  list: true,
  answer: actionsAnswer,
  statuses: [403, 404],
  handle: async ({ principal, query: { groupId }, page }) =>
    page.of(listed(principal, groupId)).map((action) => actionRecord(action, principal)),
}

function listed(principal: Principal, groupId: number | undefined): ListedAction[] {
  const { account } = principal
  if (groupId === undefined) {
    requireMaster(principal)
    return actionsOf(account)
  }
  requireMayReadGroup(principal, groupId)
  return actionsIn(account, groupToRead(account, groupId))
}
