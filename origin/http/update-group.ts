import type { z } from 'zod'
import { successAnswer } from '../../shared/wire/fields.ts'
import { updateGroupRequest } from '../../shared/wire/groups.ts'
import { existingGroup, requireWallets } from '../accounts/existing.ts'
import type { Operation } from './operation.ts'

type Changes = z.infer<typeof updateGroupRequest>

/** A given array replaces the current one, and absent fields stay unchanged. */
export const updateGroup: Operation<Changes> = {
  method: 'POST',
  path: '/core/v1/update_group',
  summary: 'Changes the given fields of a group. An array replaces the current one.',
  auth: 'account_key',
  writes: 'updateGroup',
  body: { schema: updateGroupRequest },
  answer: successAnswer,
  statuses: [404, 409, 503],
  handle: async ({ principal, body, writeId }, { writer }) => {
    const { groupId, name = '', description = '', pkpIds = [], cidHashes = [] } = body
    existingGroup(principal.account, groupId)
    requireWallets(principal.account, pkpIds)
    const group = { name, description, pkpIds, cidHashes }
    const args = [principal.keyHash, groupId, fieldsOf(body), group]
    await writer.write('updateGroup', args, { writeId })
    return { success: true }
  },
}

/** Mask of fields to replace: 1 name, 2 description, 4 wallets, 8 actions. */
function fieldsOf({ name, description, pkpIds, cidHashes }: Changes): number {
  return [name, description, pkpIds, cidHashes].reduce<number>(
    (fields, value, bit) => (value === undefined ? fields : fields + 2 ** bit),
    0,
  )
}
