import type { z } from 'zod'
import { addGroupResponse, addGroupRequest } from '../../shared/wire/groups.ts'
import { requireWallets } from '../accounts/account-lookups.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import { requireMayCreateGroup } from '../accounts/rights.ts'
import type { Operation } from './operation.ts'

/** Group IDs start at 1 in each account and are never reused. */
export const addGroupOperation: Operation<z.infer<typeof addGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/add_group',
  summary: 'Creates a group of wallets and actions. A usage key needs can_create_groups.',
  auth: 'key',
  writes: 'addGroup',
  body: { schema: addGroupRequest },
  responseSchema: addGroupResponse,
  statuses: [403, 404, 409, 503],
  handle: async ({ principal, body, writeId, audit }, { writer }) => {
    const { name, description = '', pkpIds = [], cidHashes = [] } = body
    requireMayCreateGroup(principal, { pkpIds, cidHashes })
    requireWallets(principal.account, pkpIds)
    const receipt = await writer.write(
      'addGroup',
      [principal.keyHash, name, description, pkpIds, cidHashes],
      { writeId, audit: audit() },
    )
    return { success: true, group_id: Number(receiptEvent(receipt, 'GroupSet').groupId) }
  },
}
