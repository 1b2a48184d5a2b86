import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { addActionToGroupRequest } from '../../shared/wire/groups.ts'
import { requireGroup } from '../accounts/account-lookups.ts'
import { requireMayManageActions } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'

/** Registers the action with the account if necessary. Idempotent. */
export const addActionToGroupOperation: Operation<z.infer<typeof addActionToGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/add_action_to_group',
  summary:
    'Permits an action in a group by its raw CID. A usage key needs the group in manage_ipfs_ids_in_groups.',
  auth: 'key',
  writes: 'addActionToGroup',
  body: { schema: addActionToGroupRequest },
  responseSchema: successResponse,
  statuses: [403, 404, 503],
  handle: async ({ principal, body, writeId, audit }, { writer }) => {
    const { groupId, cid, name = '', description = '' } = body
    requireMayManageActions(principal, groupId)
    requireGroup(principal.account, groupId)
    const args = [principal.keyHash, groupId, cid, name, description]
    await writer.write('addActionToGroup', args, { writeId, audit: audit() })
    return { success: true }
  },
}
