import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { pkpInGroupRequest } from '../../shared/wire/groups.ts'
import { requireGroup } from '../accounts/account-lookups.ts'
import { requireMayRemoveWallet } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'

/** Accepts the wildcard. Idempotent. */
export const removePkpFromGroupOperation: Operation<z.infer<typeof pkpInGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/remove_pkp_from_group',
  summary: 'Removes a wallet from a group. A usage key needs the group in remove_pkp_from_groups.',
  auth: 'key',
  writes: 'removePkpFromGroup',
  body: { schema: pkpInGroupRequest },
  responseSchema: successResponse,
  statuses: [403, 404, 503],
  handle: async ({ principal, body: { groupId, pkpId }, writeId, audit }, { writer }) => {
    requireMayRemoveWallet(principal, groupId)
    requireGroup(principal.account, groupId)
    await writer.write('removePkpFromGroup', [principal.keyHash, groupId, pkpId], {
      writeId,
      audit: audit(),
    })
    return { success: true }
  },
}
