/**
 * Permission checks. The contract enforces the same rules for writes, with the same error names. An account key has all
 * permissions, and a usage key has only the permissions that its fields grant. In an array of group IDs, 0 stands for
 * all groups.
 */
import { WILDCARD } from '../../shared/cid/wildcard.ts'
import { ALL_GROUPS, type AccountUsageKey, type Principal } from './account.ts'
import { PredictedRevertError } from './predicted-revert.ts'

type GroupIds = ReadonlySet<number>

function includesGroup(groups: GroupIds, groupId: number): boolean {
  return groups.has(ALL_GROUPS) || groups.has(groupId)
}

function refuse(errorName: string, { hash }: AccountUsageKey, ...groupId: [] | [number]): never {
  throw new PredictedRevertError(errorName, [hash, ...groupId])
}

/** Returns true for the account key of a managed account, and for the admin wallet of a ChainSecured account. */
export function isOwner({ account, usageKey, wallet }: Principal): boolean {
  return wallet !== undefined || (usageKey === undefined && account.managed)
}

/** @throws {PredictedRevertError} for a usage key, which cannot manage keys, update groups or record actions */
export function requireMaster({ usageKey }: Principal): void {
  if (usageKey) refuse('NotMasterAccount', usageKey)
}

/** @throws {PredictedRevertError} for a usage key without `can_read_account` */
export function requireMayReadAccount({ usageKey, canReadAccount }: Principal): void {
  if (usageKey && !canReadAccount) refuse('NotMasterAccount', usageKey)
}

/** @throws {PredictedRevertError} for a usage key without `can_create_pkps` */
export function requireMayCreateWallet({ usageKey }: Principal): void {
  if (usageKey && !usageKey.canCreatePkps) refuse('NotAllowedToCreatePkps', usageKey)
}

/**
 * A usage key must not extend its own permissions by creating a group, so wallets or actions in the new group require
 * the corresponding permission in all groups.
 * @throws {PredictedRevertError}
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

/** @throws {PredictedRevertError} for a usage key without `can_delete_groups` */
export function requireMayRemoveGroup({ usageKey }: Principal): void {
  if (usageKey && !usageKey.canDeleteGroups) refuse('NotAllowedToDeleteGroups', usageKey)
}

/**
 * Adding the wildcard requires the permission in all groups, because the wildcard includes future wallets.
 * @throws {PredictedRevertError}
 */
export function requireMayAddWallet({ usageKey }: Principal, groupId: number, pkpId: string): void {
  if (!usageKey) return
  const group = pkpId === WILDCARD ? ALL_GROUPS : groupId
  if (!includesGroup(usageKey.addPkpToGroups, group))
    refuse('NotAllowedToAddPkps', usageKey, groupId)
}

/** @throws {PredictedRevertError} for a usage key whose `remove_pkp_from_groups` does not include the group */
export function requireMayRemoveWallet({ usageKey }: Principal, groupId: number): void {
  if (usageKey && !includesGroup(usageKey.removePkpFromGroups, groupId))
    refuse('NotAllowedToRemovePkps', usageKey, groupId)
}

/** @throws {PredictedRevertError} for a usage key whose `manage_ipfs_ids_in_groups` does not include the group */
export function requireMayManageActions({ usageKey }: Principal, groupId: number): void {
  if (usageKey && !includesGroup(usageKey.manageIpfsIdsInGroups, groupId))
    refuse('NotAllowedToManageIpfsIds', usageKey, groupId)
}

/** @throws {PredictedRevertError} for a usage key without any permission in the group, and without `can_read_account` */
export function requireMayReadGroup(principal: Principal, groupId: number): void {
  const { usageKey } = principal
  if (usageKey && !readsGroup(principal, groupId))
    refuse('NotAllowedToReadGroup', usageKey, groupId)
}

export function readsGroup({ usageKey, canReadAccount }: Principal, groupId: number): boolean {
  return usageKey === undefined || canReadAccount === true || hasAnyRightIn(usageKey, groupId)
}

export function hasAnyRightIn(usageKey: AccountUsageKey, groupId: number): boolean {
  return [
    usageKey.manageIpfsIdsInGroups,
    usageKey.addPkpToGroups,
    usageKey.removePkpFromGroups,
    usageKey.executeInGroups,
  ].some((groups) => includesGroup(groups, groupId))
}
