/** Permissions of a usage key, in the field order of the contract's `UsageApiKey`. */
type PermissionFields = {
  name: string
  description: string
  can_create_groups: boolean
  can_delete_groups: boolean
  can_create_pkps: boolean
  manage_ipfs_ids_in_groups: readonly number[]
  add_pkp_to_groups: readonly number[]
  remove_pkp_from_groups: readonly number[]
  execute_in_groups: readonly number[]
}

export function toContractPermissions(body: PermissionFields) {
  return {
    name: body.name,
    description: body.description,
    canCreateGroups: body.can_create_groups,
    canDeleteGroups: body.can_delete_groups,
    canCreatePkps: body.can_create_pkps,
    manageIpfsIdsInGroups: body.manage_ipfs_ids_in_groups,
    addPkpToGroups: body.add_pkp_to_groups,
    removePkpFromGroups: body.remove_pkp_from_groups,
    executeInGroups: body.execute_in_groups,
  }
}
