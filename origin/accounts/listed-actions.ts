/** Actions of an account, including hashes that groups permit although no action was recorded for them. */
import { type Account, type AccountAction, type AccountGroup, WILDCARD } from './account.ts'

/** `groups` contains only the groups that name the hash explicitly, and not those with the wildcard. */
export type ListedAction = {
  cidHash: string
  action: AccountAction | undefined
  groups: readonly number[]
}

/** In the order in which the actions were recorded, followed by hashes without a recorded action. */
export function accountActions(account: Account): ListedAction[] {
  const unrecorded = [...groupIdsByAction(account).keys()].filter(
    (hash) => !account.actions.has(hash),
  )
  return [...account.actions.keys(), ...unrecorded].map((hash) => actionListing(account, hash))
}

/** With the wildcard, includes all recorded actions of the account. */
export function groupActions(account: Account, group: AccountGroup): ListedAction[] {
  const hashes = new Set(group.cidHashes)
  if (hashes.delete(WILDCARD)) for (const hash of account.actions.keys()) hashes.add(hash)
  return [...hashes].map((hash) => actionListing(account, hash))
}

function actionListing(account: Account, cidHash: string): ListedAction {
  const groups = groupIdsByAction(account).get(cidHash) ?? []
  return { cidHash, action: account.actions.get(cidHash), groups }
}

/** Group IDs by action hash. The cache key, the account's map of groups, is replaced on every change. */
const groupIdsCache = new WeakMap<Account['groups'], Map<string, number[]>>()

function groupIdsByAction({ groups }: Account): Map<string, number[]> {
  const before = groupIdsCache.get(groups)
  if (before) return before
  const found = new Map<string, number[]>()
  for (const { id, cidHashes } of groups.values())
    for (const hash of cidHashes) {
      if (hash === WILDCARD) continue
      const ids = found.get(hash)
      if (ids) ids.push(id)
      else found.set(hash, [id])
    }
  groupIdsCache.set(groups, found)
  return found
}
