import type { z } from 'zod'
import { addActionResponse, addActionRequest } from '../../shared/wire/registered-actions.ts'
import { word } from '../accounts/account.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import type { Operation } from './operation.ts'

export const addActionOperation: Operation<z.infer<typeof addActionRequest>> = {
  method: 'POST',
  path: '/core/v1/add_action',
  summary: 'Records an action with a name and a description. Does not permit it in any group.',
  auth: 'account_key',
  writes: 'addAction',
  body: { schema: addActionRequest },
  responseSchema: addActionResponse,
  statuses: [409, 503],
  handle: async ({ principal, body, writeId, audit }, { writer }) => {
    const { cid, name = '', description = '' } = body
    const args = [principal.keyHash, cid, name, description]
    const receipt = await writer.write('addAction', args, { writeId, audit: audit() })
    return { success: true, cid_hash: word(receiptEvent(receipt, 'ActionSet').cidHash) }
  },
}
