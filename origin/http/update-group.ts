import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { updateGroupRequest } from '../../shared/wire/groups.ts'
import { requireGroup, requireWallets } from '../accounts/account-lookups.ts'
import type { Operation } from './operation.ts'

type Changes = z.infer<typeof updateGroupRequest>

/** A given array replaces the current one, and absent fields stay unchanged. */
export const updateGroupOperation: Operation<Changes> = {
  method: 'POST',
  path: '/core/v1/update_group',
  summary: 'Changes the given fields of a group. An array replaces the current one.',
  auth: 'account_key',
  writes: 'updateGroup',
  body: { schema: updateGroupRequest },
  responseSchema: successResponse,
  statuses: [404, 409, 503],
  handle: async ({ principal, body, writeId }, { writer }) => {
    const { groupId, name = '', description = '', pkpIds = [], cidHashes = [] } = body
    requireGroup(principal.account, groupId)
    requireWallets(principal.account, pkpIds)
    const group = { name, description, pkpIds, cidHashes }
    const args = [principal.keyHash, groupId, fieldMask(body), group]
    await writer.write('updateGroup', args, { writeId })
    return { success: true }
  },
}

/** Mask of fields to replace: 1 name, 2 description, 4 wallets, 8 actions. */
function fieldMask({ name, description, pkpIds, cidHashes }: Changes): number {
  return [name, description, pkpIds, cidHashes].reduce<number>(
    (fields, value, bit) => (value === undefined ? fields : fields + 2 ** bit),
    0,
  )
}
