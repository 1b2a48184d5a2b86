import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { pkpInGroupRequest } from '../../shared/wire/groups.ts'
import { requireGroup, requireWallets } from '../accounts/account-lookups.ts'
import { requireMayAddWallet } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'

/** The wildcard permits every wallet. Idempotent. */
export const addPkpToGroupOperation: Operation<z.infer<typeof pkpInGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/add_pkp_to_group',
  summary:
    'Allows the actions of a group to use a wallet. A usage key needs the group in add_pkp_to_groups.',
  auth: 'key',
  writes: 'addPkpToGroup',
  body: { schema: pkpInGroupRequest },
  responseSchema: successResponse,
  statuses: [403, 404, 503],
  handle: async ({ principal, body: { groupId, pkpId }, writeId, audit }, { writer }) => {
    requireMayAddWallet(principal, groupId, pkpId)
    requireGroup(principal.account, groupId)
    requireWallets(principal.account, [pkpId])
    await writer.write('addPkpToGroup', [principal.keyHash, groupId, pkpId], {
      writeId,
      audit: audit(),
    })
    return { success: true }
  },
}
