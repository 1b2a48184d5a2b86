import type { z } from 'zod'
import type { usageApiKeyAnswer } from '../../shared/wire/usage-keys.ts'
import type { UsageKey } from '../accounts/account.ts'

/** A usage key as lists show it: what it may do, and never the key. */
export function usageKeyRecord(
  key: UsageKey,
  lastUsedAt: Date | undefined,
): z.infer<typeof usageApiKeyAnswer> {
  return {
    id: key.hash,
    api_key_hash: key.hash,
    name: key.name,
    description: key.description,
    can_create_groups: key.canCreateGroups,
    can_delete_groups: key.canDeleteGroups,
    can_create_pkps: key.canCreatePkps,
    manage_ipfs_ids_in_groups: [...key.manageIpfsIdsInGroups],
    add_pkp_to_groups: [...key.addPkpToGroups],
    remove_pkp_from_groups: [...key.removePkpFromGroups],
    execute_in_groups: [...key.executeInGroups],
    created_at: key.createdAt === 0 ? null : new Date(key.createdAt * 1000).toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}
