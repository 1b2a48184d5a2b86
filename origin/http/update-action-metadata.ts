import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { updateActionMetadataRequest } from '../../shared/wire/registered-actions.ts'
import { requireAction } from '../accounts/account-lookups.ts'
import type { Operation } from './operation.ts'

/** Bits of the contract's mask of fields to replace. */
const NAME = 1
const DESCRIPTION = 2

export const updateActionMetadataOperation: Operation<z.infer<typeof updateActionMetadataRequest>> =
  {
    method: 'POST',
    path: '/core/v1/update_action_metadata',
    summary:
      'Changes the name or the description of a recorded action. Omitted fields stay unchanged.',
    auth: 'account_key',
    writes: 'updateActionMetadata',
    body: { schema: updateActionMetadataRequest },
    responseSchema: successResponse,
    statuses: [404, 503],
    handle: async ({ principal, body, writeId }, { writer }) => {
      const { cidHash, name, description } = body
      requireAction(principal.account, cidHash)
      const fields = (name === undefined ? 0 : NAME) + (description === undefined ? 0 : DESCRIPTION)
      const args = [principal.keyHash, cidHash, fields, name ?? '', description ?? '']
      await writer.write('updateActionMetadata', args, { writeId })
      return { success: true }
    },
  }
