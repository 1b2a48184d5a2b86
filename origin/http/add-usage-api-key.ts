import type { z } from 'zod'
import { addUsageApiKeyRequest } from '../../shared/wire/core.ts'
import { apiKeyHash, newApiKey } from '../accounts/api-key.ts'
import type { Operation } from './operation.ts'

/** Issues a usage key with narrow permissions. Shown once; only its hash goes on the chain. */
export const addUsageApiKey: Operation<z.infer<typeof addUsageApiKeyRequest>> = {
  method: 'POST',
  path: '/core/v1/add_usage_api_key',
  auth: 'account_key',
  body: { schema: addUsageApiKeyRequest },
  handle: async ({ principal, body }, { writer }) => {
    const usageKey = newApiKey()
    const hash = apiKeyHash(usageKey)
    await writer.write('setUsageApiKey', [
      principal.account.hash,
      hash,
      {
        name: body.name,
        description: body.description,
        canCreateGroups: body.can_create_groups,
        canDeleteGroups: body.can_delete_groups,
        canCreatePkps: body.can_create_pkps,
        manageIpfsIdsInGroups: body.manage_ipfs_ids_in_groups,
        addPkpToGroups: body.add_pkp_to_groups,
        removePkpFromGroups: body.remove_pkp_from_groups,
        executeInGroups: body.execute_in_groups,
      },
    ])
    return { success: true, usage_api_key: usageKey, usage_api_key_hash: hash }
  },
}
