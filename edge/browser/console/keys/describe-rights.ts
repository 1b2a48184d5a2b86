import type { Group, UsageKey } from '../../../../shared/client/core/account.ts'
import { WILDCARD_GROUP, nameOfGroup } from '../permissions.ts'

/** If the key cannot run any action, the list says so. */
export function describeRights(key: UsageKey, groups: Group[]): [name: string, what: string][] {
  const where = (ids: readonly number[]) => {
    if (ids.includes(WILDCARD_GROUP)) return 'every group, including future ones: dangerous'
    return ids
      .map((id) => groups.find(({ group_id }) => group_id === id))
      .map((group, i) => (group ? nameOfGroup(group) : `removed group ${ids[i]}`))
      .join(', ')
  }
  const creates = [key.can_create_pkps && 'wallets', key.can_create_groups && 'groups']
  const rights: [string, string][] = [
    ['Runs actions of', where(key.execute_in_groups) || 'no group'],
    ['Changes actions of', where(key.manage_ipfs_ids_in_groups)],
    ['Adds wallets to', where(key.add_pkp_to_groups)],
    ['Removes wallets from', where(key.remove_pkp_from_groups)],
    ['Creates', creates.filter(Boolean).join(', ')],
    ['Removes', key.can_delete_groups ? 'any group' : ''],
  ]
  return rights.filter(([, what]) => what !== '')
}
