import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { deleteActionRequest } from '../../shared/wire/registered-actions.ts'
import type { Operation } from './operation.ts'

/** Only the contract checks that the action exists; see `remove-group.ts`. */
export const deleteActionOperation: Operation<z.infer<typeof deleteActionRequest>> = {
  method: 'POST',
  path: '/core/v1/delete_action',
  summary: 'Deletes the record of an action and removes it from every group.',
  auth: 'account_key',
  writes: 'deleteAction',
  body: { schema: deleteActionRequest },
  responseSchema: successResponse,
  statuses: [404, 503],
  handle: async ({ principal, body, writeId, audit }, { writer }) => {
    await writer.write('deleteAction', [principal.keyHash, body.cidHash], {
      writeId,
      audit: audit(),
    })
    return { success: true }
  },
}
