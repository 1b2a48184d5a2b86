/**
 * May this key run this action, and with which wallets (specification, Group and Usage API key). Pure look-ups
 * in the mirror: no I/O, no copy. The contract's view `mayExecute` gives the same answers.
 */
import { type Account, type Group, type Principal, type Wallet, WILDCARD } from './account.ts'
import { cidHash } from './api-key.ts'

export { WILDCARD } from './account.ts'
const ALL_GROUPS = 0

/** Runs under this permission may use the wallets of these groups, and of no other. */
export type RunPermission = { cid: string; groups: readonly Group[] }

/**
 * Returns the permission to run an action, or `undefined`. A usage key needs a group that it may execute in and that
 * permits the action; the wildcard 0 is every group of the account, and permits no action by itself
 * (docs/decisions/0066). The account's own key may run anything, without wallets where no group permits the action;
 * that of a ChainSecured account may run nothing.
 */
export function permissionToRun(principal: Principal, cid: string): RunPermission | undefined {
  const { account, usageKey } = principal
  if (!usageKey && !account.managed) return undefined
  const groups = permittingGroups(principal, hashOf(cid))
  return groups.length === 0 && usageKey ? undefined : { cid, groups }
}

/** Hashing a CID takes ten times as long as all the rest of a check, and most runs are of few actions. */
const KNOWN_HASHES_MAX = 4_096
const knownHashes = new Map<string, string>()

function hashOf(cid: string): string {
  let hash = knownHashes.get(cid)
  if (hash !== undefined) return hash
  hash = cidHash(cid)
  // The oldest goes; one that is still used is soon back.
  if (knownHashes.size >= KNOWN_HASHES_MAX) {
    for (const oldest of knownHashes.keys()) {
      knownHashes.delete(oldest)
      break
    }
  }
  knownHashes.set(cid, hash)
  return hash
}

/** Whether the key may execute in every group, later ones included: an account key, or a usage key with the wildcard 0. */
export function mayRunInEveryGroup({ usageKey }: Principal): boolean {
  return !usageKey || usageKey.executeInGroups.has(ALL_GROUPS)
}

/** The groups that a key may execute in and that permit the action. @param hash keccak256 of the CID's text */
function permittingGroups(principal: Principal, hash: string): readonly Group[] {
  const { account, usageKey } = principal
  if (!usageKey || mayRunInEveryGroup(principal)) return anyPermitting(account, hash)
  const groups: Group[] = []
  for (const id of usageKey.executeInGroups) {
    const group = account.groups.get(id)
    if (group && permits(group, hash)) groups.push(group)
  }
  return groups
}

function permits({ cidHashes }: Group, hash: string): boolean {
  return cidHashes.has(hash) || cidHashes.has(WILDCARD)
}

/** Up to this many groups are looked at one by one: that is quicker than an index is made. */
const SCANNED_MAX = 16

/** Groups by action. An account's map of groups is replaced when one of them changes, and its index with it. */
const indexes = new WeakMap<Account['groups'], Map<string, Group[]>>()

function anyPermitting({ groups }: Account, hash: string): readonly Group[] {
  if (groups.size <= SCANNED_MAX)
    return [...groups.values()].filter((group) => permits(group, hash))
  let index = indexes.get(groups)
  if (!index) indexes.set(groups, (index = indexOf(groups)))
  return [...(index.get(hash) ?? []), ...(index.get(WILDCARD) ?? [])]
}

/** Action -> the groups that name it; the wildcard -> those that permit every action, which stand nowhere else. */
function indexOf(groups: Account['groups']): Map<string, Group[]> {
  const index = new Map<string, Group[]>()
  for (const group of groups.values()) {
    const hashes = group.cidHashes.has(WILDCARD) ? [WILDCARD] : group.cidHashes
    for (const hash of hashes) {
      const found = index.get(hash)
      if (found) found.push(group)
      else index.set(hash, [group])
    }
  }
  return index
}

export type WalletAnswer =
  | { allowed: true; wallet: Wallet }
  | { allowed: false; reason: 'not_registered' | 'not_permitted' }

/** Whether a run may use a wallet: one of its groups names it, or all, and the account has registered it. */
export function walletForRun(
  { account }: Principal,
  permission: RunPermission,
  pkpId: string,
): WalletAnswer {
  const wallet = account.wallets.get(pkpId)
  if (!wallet) return { allowed: false, reason: 'not_registered' }
  const permitted = permission.groups.some(
    (group) => group.pkpIds.has(pkpId) || group.pkpIds.has(WILDCARD),
  )
  return permitted ? { allowed: true, wallet } : { allowed: false, reason: 'not_permitted' }
}
