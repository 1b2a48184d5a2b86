import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { removeUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import type { Operation } from './operation.ts'
import { removeLimits } from './key-limits.ts'
import { removeSpendCap } from './spend-cap.ts'

/** The next request with the key gets 401. Only the contract checks that the key exists; see `remove-group.ts`. */
export const removeUsageApiKeyOperation: Operation<z.infer<typeof removeUsageApiKeyRequest>> = {
  method: 'POST',
  path: '/core/v1/remove_usage_api_key',
  summary: 'Revokes a usage key, given the key or its hash.',
  auth: 'account_key',
  writes: 'removeUsageApiKey',
  body: { schema: removeUsageApiKeyRequest },
  responseSchema: successResponse,
  statuses: [404, 503],
  handle: async ({ principal, body, writeId, audit }, { credits, keyLimits, log, writer }) => {
    const { account, keyHash: masterHash } = principal
    const { usageApiKeyHash: keyHash } = body
    await writer.write('removeUsageApiKey', [masterHash, keyHash], { writeId, audit: audit() })
    // Not awaited: the key is already revoked, and other processes may take a while to respond to the removal of its
    // cap and limits.
    const key = { accountHash: account.hash, keyHash }
    const auditAs = (change: string) => ({ context: audit(), sourceId: `${change}/${writeId}` })
    void removeSpendCap({ credits, log }, key, auditAs('cap'))
    void removeLimits({ keyLimits, log }, key, auditAs('limits'))
    return { success: true }
  },
}
