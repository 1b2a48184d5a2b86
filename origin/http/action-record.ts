import type { z } from 'zod'
import type { actionResponse } from '../../shared/wire/registered-actions.ts'
import type { Principal } from '../accounts/account.ts'
import type { ListedAction } from '../accounts/listed-actions.ts'
import { readsGroup } from '../accounts/rights.ts'

/** For a usage key, lists only the groups that the key may read. */
export function toActionRecord(
  { cidHash, action, groups }: ListedAction,
  principal: Principal,
): z.infer<typeof actionResponse> {
  return {
    cid_hash: cidHash,
    action_ipfs_cid: action?.cid ?? null,
    name: action?.name ?? '',
    description: action?.description ?? '',
    groups: groups.filter((id) => readsGroup(principal, id)),
  }
}
