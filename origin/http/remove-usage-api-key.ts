import type { z } from 'zod'
import { successAnswer } from '../../shared/wire/fields.ts'
import { removeUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import type { Operation } from './operation.ts'
import { forgetCap } from './spend-cap.ts'

/** Revokes a usage key: 401 on its next request, for ever. Whether it exists is for the contract: see `remove-group.ts`. */
export const removeUsageApiKey: Operation<z.infer<typeof removeUsageApiKeyRequest>> = {
  method: 'POST',
  path: '/core/v1/remove_usage_api_key',
  summary: 'Revokes a usage key, named by its text or its hash.',
  auth: 'account_key',
  writes: 'removeUsageApiKey',
  body: { schema: removeUsageApiKeyRequest },
  answer: successAnswer,
  statuses: [404, 503],
  handle: async ({ principal, body, writeId }, { credits, log, writer }) => {
    const { account, keyHash: masterHash } = principal
    const { usageApiKeyHash: keyHash } = body
    await writer.write('removeUsageApiKey', [masterHash, keyHash], { writeId })
    // Not waited for: the key is gone, and another process may take its time to answer.
    void forgetCap({ credits, log }, { accountHash: account.hash, keyHash })
    return { success: true }
  },
}
