import type { AccountOperations } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'

type Groups = Pick<
  AccountOperations,
  | 'addGroup'
  | 'updateGroup'
  | 'removeGroup'
  | 'addPkpToGroup'
  | 'removePkpFromGroup'
  | 'addActionToGroup'
  | 'removeActionFromGroup'
  | 'listGroups'
  | 'getGroup'
>

export function groups(calls: CoreCalls): Groups {
  return {
    addGroup: (fields, options) => calls.write('add_group', fields, options),
    updateGroup: (fields, options) => calls.write('update_group', fields, options),
    removeGroup: (fields, options) => calls.write('remove_group', fields, options),
    addPkpToGroup: (fields, options) => calls.write('add_pkp_to_group', fields, options),
    removePkpFromGroup: (fields, options) => calls.write('remove_pkp_from_group', fields, options),
    addActionToGroup: (fields, options) => calls.write('add_action_to_group', fields, options),
    removeActionFromGroup: (fields, options) =>
      calls.write('remove_action_from_group', fields, options),
    listGroups: (options) => calls.list('list_groups', {}, options),
    getGroup: ({ group_id }, options) => calls.read('get_group', { group_id }, options),
  }
}
