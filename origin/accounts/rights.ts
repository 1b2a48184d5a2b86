/**
 * Checks for changing and reading accounts. The contract enforces the same rules for writes, under the same names. An
 * account key is allowed to do everything here; a usage key only what its fields grant. 0 in an array of group IDs
 * stands for all groups.
 */
import { type Principal, type UsageKey, WILDCARD } from './account.ts'
import { ForeseenRefusal } from './foreseen-refusal.ts'

const ALL_GROUPS = 0

type GroupIds = ReadonlySet<number>

/** Returns whether an array of a usage key contains the group, or 0 for all groups. */
function reaches(groups: GroupIds, groupId: number): boolean {
  return groups.has(ALL_GROUPS) || groups.has(groupId)
}

function refuse(errorName: string, { hash }: UsageKey, ...groupId: [] | [number]): never {
  throw new ForeseenRefusal(errorName, [hash, ...groupId])
}

/** Returns true for the account key in API mode and the admin wallet in ChainSecured mode. */
export function isOwner({ account, usageKey, wallet }: Principal): boolean {
  return wallet !== undefined || (usageKey === undefined && account.managed)
}

/**
 * Requires the account's owner: keys, group updates and action records cannot be managed with a usage key.
 * @throws {ForeseenRefusal} for a usage key
 */
export function requireMaster({ usageKey }: Principal): void {
  if (usageKey) refuse('NotMasterAccount', usageKey)
}

/** @throws {ForeseenRefusal} for a usage key without `can_create_pkps` */
export function requireMayCreateWallet({ usageKey }: Principal): void {
  if (usageKey && !usageKey.canCreatePkps) refuse('NotAllowedToCreatePkps', usageKey)
}

/**
 * Requires the right to create a group. A usage key must not extend its own permissions through a group that it
 * creates, so adding wallets or actions to it requires that right in all groups.
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

/**
 * Requires the right to add a wallet to a group. The wildcard wallet needs the right in all groups, because it includes
 * later wallets.
 * @throws {ForeseenRefusal}
 */
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

/** @throws {ForeseenRefusal} for a usage key without any right in the group */
export function requireMayReadGroup(principal: Principal, groupId: number): void {
  const { usageKey } = principal
  if (usageKey && !lists(usageKey, groupId)) refuse('NotAllowedToReadGroup', usageKey, groupId)
}

/** Returns whether any array of a usage key contains the group, or 0 for all groups. */
export function lists(usageKey: UsageKey, groupId: number): boolean {
  return [
    usageKey.manageIpfsIdsInGroups,
    usageKey.addPkpToGroups,
    usageKey.removePkpFromGroups,
    usageKey.executeInGroups,
  ].some((groups) => reaches(groups, groupId))
}
