/** Actions of an account, including hashes that groups permit although no action was recorded for them. */
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import { type Account, type AccountAction, type AccountGroup, groupsByAction } from './account.ts'

/** `groups` contains only the groups that name the hash explicitly, and not those with the wildcard. */
export type ListedAction = {
  cidHash: string
  action: AccountAction | undefined
  groups: readonly number[]
}

/** In the order in which the actions were recorded, followed by hashes without a recorded action. */
export function accountActions(account: Account): ListedAction[] {
  const unrecorded = [...groupsByAction(account).keys()].filter(
    (hash) => hash !== WILDCARD && !account.actions.has(hash),
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
  const groups = groupsByAction(account).get(cidHash) ?? []
  return { cidHash, action: account.actions.get(cidHash), groups: groups.map(({ id }) => id) }
}
