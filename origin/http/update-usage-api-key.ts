import type { z } from 'zod'
import { successAnswer } from '../../shared/wire/fields.ts'
import { updateUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import { existingUsageKey } from '../accounts/existing.ts'
import type { Operation } from './operation.ts'

type Changes = z.infer<typeof updateUsageApiKeyRequest>

/** Changes what is given of a usage key; a given array replaces, and what is absent stays as it is. */
export const updateUsageApiKey: Operation<Changes> = {
  method: 'POST',
  path: '/core/v1/update_usage_api_key',
  summary: 'Changes what is given of a usage key; a given array replaces the one that is there.',
  auth: 'account_key',
  writes: 'updateUsageApiKey',
  body: { schema: updateUsageApiKeyRequest },
  answer: successAnswer,
  statuses: [404, 503],
  handle: async ({ principal, body, writeId }, { writer }) => {
    existingUsageKey(principal.account, body.usageApiKeyHash)
    const { fields, key } = changesOf(body)
    const args = [principal.keyHash, body.usageApiKeyHash, fields, key]
    await writer.write('updateUsageApiKey', args, { writeId })
    return { success: true }
  },
}

/** The members of the contract's `UsageApiKey`, in its order, and which of them it is to replace: bit n for the n-th. */
function changesOf(body: Changes): { fields: number; key: readonly unknown[] } {
  const members: [unknown, unknown][] = [
    [body.name, ''],
    [body.description, ''],
    [body.can_create_groups, false],
    [body.can_delete_groups, false],
    [body.can_create_pkps, false],
    [body.manage_ipfs_ids_in_groups, []],
    [body.add_pkp_to_groups, []],
    [body.remove_pkp_from_groups, []],
    [body.execute_in_groups, []],
  ]
  const fields = members.reduce(
    (sum, [given], bit) => (given === undefined ? sum : sum + 2 ** bit),
    0,
  )
  return { fields, key: members.map(([given, unchanged]) => given ?? unchanged) }
}
