/**
 * Decides whether a key may run an action, and with which wallets. The decision needs only lookups in the mirror,
 * without I/O or copying. The contract's view function `mayExecute` returns the same results.
 */
import { cidHash } from '../../shared/cid/cid-format.ts'
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import { LruCache } from '../lru-cache.ts'
import {
  ALL_GROUPS,
  type Account,
  type AccountGroup,
  type AccountWallet,
  groupsByAction,
  type Principal,
} from './account.ts'

/** Permission to run an action. The run may use only the wallets of `groups`. */
export type RunPermission = { cid: string; groups: readonly AccountGroup[] }

/**
 * Returns the permission to run an action, or undefined if the principal may not run it.
 *
 * - A usage key may run an action if a group permits the action and the key may execute in that group. The wildcard 0
 * stands for all groups of the account, and does not permit any action by itself (`docs/decisions/0066`).
 * - The account key may run any action. If no group permits the action, the run cannot use wallets.
 * - The account key of a ChainSecured account may not run actions.
 */
export function permissionToRun(principal: Principal, cid: string): RunPermission | undefined {
  const { account, usageKey } = principal
  if (!usageKey && !account.managed) return undefined
  const hash = hashes.getOrCreate(cid, () => cidHash(cid))
  const groups = permittingGroups(principal, hash)
  return groups.length === 0 && usageKey ? undefined : { cid, groups }
}

/** Hashing a CID takes ten times as long as the rest of the check, and most runs use only a few actions. */
const CACHED_HASHES_MAX = 4_096
const hashes = new LruCache<string>(CACHED_HASHES_MAX)

/** True for account keys, and for usage keys with the wildcard 0. Includes future groups. */
export function mayRunInEveryGroup({ usageKey }: Principal): boolean {
  return !usageKey || usageKey.executeInGroups.has(ALL_GROUPS)
}

/** @param hash keccak256 hash of the CID's text */
function permittingGroups(principal: Principal, hash: string): readonly AccountGroup[] {
  const { account, usageKey } = principal
  if (!usageKey || mayRunInEveryGroup(principal)) return accountGroupsPermitting(account, hash)
  const groups: AccountGroup[] = []
  for (const id of usageKey.executeInGroups) {
    const group = account.groups.get(id)
    if (group && permits(group, hash)) groups.push(group)
  }
  return groups
}

function permits({ cidHashes }: AccountGroup, hash: string): boolean {
  return cidHashes.has(hash) || cidHashes.has(WILDCARD)
}

/** Maximum number of groups for which a linear scan is used. For more groups, building an index is faster. */
const SCANNED_GROUPS_MAX = 16

function accountGroupsPermitting(account: Account, hash: string): readonly AccountGroup[] {
  if (account.groups.size <= SCANNED_GROUPS_MAX)
    return [...account.groups.values()].filter((group) => permits(group, hash))
  const index = groupsByAction(account)
  const named = index.get(hash) ?? []
  const permittingAll = index.get(WILDCARD) ?? []
  return [...named.filter(({ cidHashes }) => !cidHashes.has(WILDCARD)), ...permittingAll]
}

type WalletDecision =
  | { allowed: true; wallet: AccountWallet }
  | { allowed: false; reason: 'not_registered' | 'not_permitted' }

/** The wallet must be registered, and one of the run's groups must permit it. */
export function walletForRun(
  { account }: Principal,
  permission: RunPermission,
  pkpId: string,
): WalletDecision {
  const wallet = account.wallets.get(pkpId)
  if (!wallet) return { allowed: false, reason: 'not_registered' }
  const permitted = permission.groups.some(
    (group) => group.pkpIds.has(pkpId) || group.pkpIds.has(WILDCARD),
  )
  return permitted ? { allowed: true, wallet } : { allowed: false, reason: 'not_permitted' }
}
