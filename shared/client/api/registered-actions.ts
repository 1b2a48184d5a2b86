import type { AccountOperations } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'

type RegisteredActions = Pick<
  AccountOperations,
  'addAction' | 'updateActionMetadata' | 'deleteAction' | 'listActions'
>

export function registeredActions(calls: CoreCalls): RegisteredActions {
  return {
    addAction: (fields, options) => calls.write('add_action', fields, options),
    updateActionMetadata: (fields, options) =>
      calls.write('update_action_metadata', fields, options),
    deleteAction: (fields, options) => calls.write('delete_action', fields, options),
    listActions: (fields = {}, options) =>
      calls.list('list_actions', { group_id: fields.group_id }, options),
  }
}
