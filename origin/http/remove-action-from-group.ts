import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { removeActionFromGroupRequest } from '../../shared/wire/groups.ts'
import { requireGroup } from '../accounts/account-lookups.ts'
import { requireMayManageActions } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'

/** Accepts the wildcard. Idempotent. */
export const removeActionFromGroupOperation: Operation<
  z.infer<typeof removeActionFromGroupRequest>
> = {
  method: 'POST',
  path: '/core/v1/remove_action_from_group',
  summary:
    'Removes an action from a group, which then no longer permits it. A usage key needs the group in manage_ipfs_ids_in_groups.',
  auth: 'key',
  writes: 'removeActionFromGroup',
  body: { schema: removeActionFromGroupRequest },
  responseSchema: successResponse,
  statuses: [403, 404, 503],
  handle: async ({ principal, body: { groupId, cidHash }, writeId, audit }, { writer }) => {
    requireMayManageActions(principal, groupId)
    requireGroup(principal.account, groupId)
    await writer.write('removeActionFromGroup', [principal.keyHash, groupId, cidHash], {
      writeId,
      audit: audit(),
    })
    return { success: true }
  },
}
