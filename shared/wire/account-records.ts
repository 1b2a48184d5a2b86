/** Builds records of groups and usage keys, for both the origin's mirror and direct reads of the contract. */
import type { z } from 'zod'
import type { groupResponse } from './groups.ts'
import type { usageApiKeyResponse } from './usage-keys.ts'

type GroupFacts = {
  id: number
  name: string
  description: string
  pkpIds: Iterable<string>
  cidHashes: Iterable<string>
}

export function groupRecord(group: GroupFacts): z.infer<typeof groupResponse> {
  return {
    id: group.id,
    group_id: group.id,
    name: group.name,
    description: group.description,
    pkp_ids_permitted: [...group.pkpIds],
    cid_hashes_permitted: [...group.cidHashes],
  }
}

type UsageKeyFacts = {
  hash: string
  name: string
  description: string
  canCreateGroups: boolean
  canDeleteGroups: boolean
  canCreatePkps: boolean
  manageIpfsIdsInGroups: Iterable<number>
  addPkpToGroups: Iterable<number>
  removePkpFromGroups: Iterable<number>
  executeInGroups: Iterable<number>
  /** Creation time in Unix seconds. 0 if unknown. */
  createdAt: number
}

/**
 * Builds the record of a usage key, which contains the permissions, but never the key itself.
 * @param lastUsedAt RFC 3339. Null if unknown
 */
export function usageKeyRecord(
  key: UsageKeyFacts,
  lastUsedAt: string | null,
): z.infer<typeof usageApiKeyResponse> {
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
    last_used_at: lastUsedAt,
  }
}
