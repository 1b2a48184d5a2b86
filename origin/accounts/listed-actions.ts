import { WILDCARD } from '../../shared/cid/wildcard.ts'
import { type Account, type AccountAction, type AccountGroup, groupsByAction } from './account.ts'

/** `groups` excludes groups that permit the hash only by the wildcard. */
export type ListedAction = {
  cidHash: string
  action: AccountAction | undefined
  groups: readonly number[]
}

/** Recorded actions come first, in order, followed by permitted hashes without a recorded action. */
export function accountActions(account: Account): ListedAction[] {
  const unrecorded = [...groupsByAction(account).keys()].filter(
    (hash) => hash !== WILDCARD && !account.actions.has(hash),
  )
  return [...account.actions.keys(), ...unrecorded].map((hash) => actionListing(account, hash))
}

/** If the group permits the wildcard, includes all recorded actions of the account. */
export function groupActions(account: Account, group: AccountGroup): ListedAction[] {
  const hashes = new Set(group.cidHashes)
  if (hashes.delete(WILDCARD)) for (const hash of account.actions.keys()) hashes.add(hash)
  return [...hashes].map((hash) => actionListing(account, hash))
}

function actionListing(account: Account, cidHash: string): ListedAction {
  const groups = groupsByAction(account).get(cidHash) ?? []
  return { cidHash, action: account.actions.get(cidHash), groups: groups.map(({ id }) => id) }
}
