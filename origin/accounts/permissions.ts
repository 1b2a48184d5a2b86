/**
 * May this key run this action, and with which wallets (specification, Group and Usage API key). Pure look-ups
 * in the mirror: no I/O, no copy.
 */
import { cidHash } from './api-key.ts'
import { type Group, type Principal, type Wallet, word } from './state.ts'

/** The zero word, that stands for every wallet, action or group. */
export const WILDCARD = word(0n)
const ALL_GROUPS = 0

/** Runs under this permission may use the wallets of these groups, and of no other. */
export type RunPermission = { cid: string; groups: readonly Group[] }

/**
 * The permission to run an action, or `undefined`. A usage key needs a group that it may execute in and that
 * permits the action. The account's own key may run anything; an action in no group gets no wallet.
 */
export function permissionToRun(principal: Principal, cid: string): RunPermission | undefined {
  const hash = cidHash(cid)
  const groups = executableGroups(principal).filter(
    (group) => group.cidHashes.has(hash) || group.cidHashes.has(WILDCARD),
  )
  if (groups.length === 0 && principal.usageKey) return undefined
  return { cid, groups }
}

function executableGroups({ account, usageKey }: Principal): Group[] {
  if (!usageKey || usageKey.executeInGroups.has(ALL_GROUPS)) return [...account.groups.values()]
  const groups: Group[] = []
  for (const id of usageKey.executeInGroups) {
    const group = account.groups.get(id)
    if (group) groups.push(group)
  }
  return groups
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
