import type { z } from 'zod'
import { successAnswer } from '../../shared/wire/fields.ts'
import { pkpInGroupRequest } from '../../shared/wire/groups.ts'
import { existingGroup, requireWallets } from '../accounts/existing.ts'
import { requireMayAddWallet } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'

/** The wildcard permits every wallet. Idempotent. */
export const addPkpToGroup: Operation<z.infer<typeof pkpInGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/add_pkp_to_group',
  summary:
    'Allows the actions of a group to use a wallet. A usage key needs the group in add_pkp_to_groups.',
  auth: 'key',
  writes: 'addPkpToGroup',
  body: { schema: pkpInGroupRequest },
  answer: successAnswer,
  statuses: [403, 404, 503],
  handle: async ({ principal, body: { groupId, pkpId }, writeId }, { writer }) => {
    requireMayAddWallet(principal, groupId, pkpId)
    existingGroup(principal.account, groupId)
    requireWallets(principal.account, [pkpId])
    await writer.write('addPkpToGroup', [principal.keyHash, groupId, pkpId], { writeId })
    return { success: true }
  },
}
