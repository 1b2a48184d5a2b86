import type { AccountOperations } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'

type RegisteredActions = Pick<
  AccountOperations,
  'addAction' | 'updateActionMetadata' | 'deleteAction' | 'listActions'
>

export function registeredActions({ list, write }: CoreCalls): RegisteredActions {
  return {
    addAction: (fields, options) => write('add_action', fields, options),
    updateActionMetadata: (fields, options) => write('update_action_metadata', fields, options),
    deleteAction: (fields, options) => write('delete_action', fields, options),
    listActions: (fields = {}, options) =>
      list('list_actions', { group_id: fields.group_id }, options),
  }
}
