import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { updateGroupRequest } from '../../shared/wire/groups.ts'
import { requireGroup, requireWallets } from '../accounts/account-lookups.ts'
import { fieldMask } from './field-mask.ts'
import type { Operation } from './operation.ts'

/** A given array replaces the current one, and absent fields stay unchanged. */
export const updateGroupOperation: Operation<z.infer<typeof updateGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/update_group',
  summary: 'Changes the given fields of a group. An array replaces the current one.',
  auth: 'account_key',
  writes: 'updateGroup',
  body: { schema: updateGroupRequest },
  responseSchema: successResponse,
  statuses: [404, 409, 503],
  handle: async ({ principal, body, writeId, audit }, { writer }) => {
    const { groupId, name = '', description = '', pkpIds = [], cidHashes = [] } = body
    requireGroup(principal.account, groupId)
    requireWallets(principal.account, pkpIds)
    const group = { name, description, pkpIds, cidHashes }
    const fields = fieldMask([body.name, body.description, body.pkpIds, body.cidHashes])
    const args = [principal.keyHash, groupId, fields, group]
    await writer.write('updateGroup', args, { writeId, audit: audit() })
    return { success: true }
  },
}
