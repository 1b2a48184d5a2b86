import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { removeGroupRequest } from '../../shared/wire/groups.ts'
import { requireMayRemoveGroup } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'

/**
 * Removes a group; keys lose their permissions in the group. Only the contract checks that the group exists, not the
 * mirror: a repeated request with the same Idempotency-Key must succeed even if the mirror no longer has the group.
 */
export const removeGroupOperation: Operation<z.infer<typeof removeGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/remove_group',
  summary: 'Deletes a group. A usage key needs can_delete_groups.',
  auth: 'key',
  writes: 'removeGroup',
  body: { schema: removeGroupRequest },
  responseSchema: successResponse,
  statuses: [403, 404, 503],
  handle: async ({ principal, body, writeId, audit }, { writer }) => {
    requireMayRemoveGroup(principal)
    await writer.write('removeGroup', [principal.keyHash, body.groupId], {
      writeId,
      audit: audit(),
    })
    return { success: true }
  },
}
