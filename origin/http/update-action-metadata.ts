import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { updateActionMetadataRequest } from '../../shared/wire/registered-actions.ts'
import { requireAction } from '../accounts/account-lookups.ts'
import { fieldMask } from './field-mask.ts'
import type { Operation } from './operation.ts'

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
    handle: async ({ principal, body, writeId, audit }, { writer }) => {
      const { cidHash, name, description } = body
      requireAction(principal.account, cidHash)
      const fields = fieldMask([name, description])
      const args = [principal.keyHash, cidHash, fields, name ?? '', description ?? '']
      await writer.write('updateActionMetadata', args, { writeId, audit: audit() })
      return { success: true }
    },
  }
