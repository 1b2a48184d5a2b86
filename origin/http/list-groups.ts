import { groupsResponse } from '../../shared/wire/groups.ts'
import { groupRecord } from '../../shared/wire/account-records.ts'
import type { Operation } from './operation.ts'

/** Lists the account's groups, sorted by ID. */
export const listGroupsOperation: Operation = {
  method: 'GET',
  path: '/core/v1/list_groups',
  summary: 'Lists the groups of the account.',
  auth: 'account_reader',
  list: true,
  responseSchema: groupsResponse,
  handle: async ({ principal, page }) => {
    const groups = [...principal.account.groups.values()]
    return page.of(groups.toSorted((one, other) => one.id - other.id)).map(groupRecord)
  },
}
