import type { z } from 'zod'
import type { groupAnswer } from '../../shared/wire/groups.ts'
import type { Group } from '../accounts/account.ts'

/** A group as lists show it, with the field names of the specification. */
export function groupRecord(group: Group): z.infer<typeof groupAnswer> {
  return {
    id: group.id,
    group_id: group.id,
    name: group.name,
    description: group.description,
    pkp_ids_permitted: [...group.pkpIds],
    cid_hashes_permitted: [...group.cidHashes],
  }
}
