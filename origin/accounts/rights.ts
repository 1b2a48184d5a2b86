/**
 * What a key may change and read (specification, Usage API key and Authentication 2; `decisions.md`, add_group,
 * wildcard 0). The contract holds the same rules for writes, under the same names. An account's own key may
 * everything here; a usage key only what its fields say, and 0 in an array stands for all groups.
 */
import { type Principal, type UsageKey, WILDCARD } from './account.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

const ALL_GROUPS = 0

type GroupIds = ReadonlySet<number>

/** Whether an array of a usage key names a group, or all of them. */
function reaches(groups: GroupIds, groupId: number): boolean {
  return groups.has(ALL_GROUPS) || groups.has(groupId)
}

function refuse(errorName: string, { hash }: UsageKey, ...groupId: [] | [number]): never {
  throw new ForeseenRefusal(errorName, [hash, ...groupId])
}

/** The owner is the account key in API mode and the admin wallet in ChainSecured mode. */
export function isOwner({ account, usageKey, wallet }: Principal): boolean {
  return wallet !== undefined || (usageKey === undefined && account.managed)
}

/** @throws {ForeseenRefusal} for a usage key: keys, group changes and records of actions are the account's own */
export function requireMaster({ usageKey }: Principal): void {
  if (usageKey) refuse('NotMasterAccount', usageKey)
}

/** @throws {ForeseenRefusal} for a usage key without `can_create_pkps` */
export function requireMayCreateWallet({ usageKey }: Principal): void {
  if (usageKey && !usageKey.canCreatePkps) refuse('NotAllowedToCreatePkps', usageKey)
}

/**
 * A usage key must not widen itself through a group of its own making: what it puts in needs the right to all groups.
 * @throws {ForeseenRefusal}
 */
export function requireMayCreateGroup(
  { usageKey }: Principal,
  group: { pkpIds: readonly string[]; cidHashes: readonly string[] },
): void {
  if (!usageKey) return
  if (!usageKey.canCreateGroups) refuse('NotAllowedToCreateGroups', usageKey)
  if (group.pkpIds.length > 0 && !usageKey.addPkpToGroups.has(ALL_GROUPS))
    refuse('NotAllowedToAddPkps', usageKey, ALL_GROUPS)
  if (group.cidHashes.length > 0 && !usageKey.manageIpfsIdsInGroups.has(ALL_GROUPS))
    refuse('NotAllowedToManageIpfsIds', usageKey, ALL_GROUPS)
}

/** @throws {ForeseenRefusal} for a usage key without `can_delete_groups` */
export function requireMayRemoveGroup({ usageKey }: Principal): void {
  if (usageKey && !usageKey.canDeleteGroups) refuse('NotAllowedToDeleteGroups', usageKey)
}

/** Every wallet, later ones included, is more than one group's array grants. @throws {ForeseenRefusal} */
export function requireMayAddWallet({ usageKey }: Principal, groupId: number, pkpId: string): void {
  if (!usageKey) return
  const group = pkpId === WILDCARD ? ALL_GROUPS : groupId
  if (!reaches(usageKey.addPkpToGroups, group)) refuse('NotAllowedToAddPkps', usageKey, groupId)
}

/** @throws {ForeseenRefusal} for a usage key whose `remove_pkp_from_groups` does not reach the group */
export function requireMayRemoveWallet({ usageKey }: Principal, groupId: number): void {
  if (usageKey && !reaches(usageKey.removePkpFromGroups, groupId))
    refuse('NotAllowedToRemovePkps', usageKey, groupId)
}

/** @throws {ForeseenRefusal} for a usage key whose `manage_ipfs_ids_in_groups` does not reach the group */
export function requireMayManageActions({ usageKey }: Principal, groupId: number): void {
  if (usageKey && !reaches(usageKey.manageIpfsIdsInGroups, groupId))
    refuse('NotAllowedToManageIpfsIds', usageKey, groupId)
}

/** @throws {ForeseenRefusal} for a usage key that has no right of any kind in the group */
export function requireMayReadGroup(principal: Principal, groupId: number): void {
  const { usageKey } = principal
  if (usageKey && !lists(usageKey, groupId)) refuse('NotAllowedToReadGroup', usageKey, groupId)
}

/** Whether any array of a usage key names the group, or all of them. */
export function lists(usageKey: UsageKey, groupId: number): boolean {
  return [
    usageKey.manageIpfsIdsInGroups,
    usageKey.addPkpToGroups,
    usageKey.removePkpFromGroups,
    usageKey.executeInGroups,
  ].some((groups) => reaches(groups, groupId))
}
