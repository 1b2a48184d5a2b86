import type { AccountOperations, NewUsageKey } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'
import { adviseIfLost } from '../failures/transport-errors.ts'

/**
 * Advice for a lost response to the creation of a usage key, because the service returns a usage key only once. A retry
 * with the same Idempotency-Key fails with the `Conflict` `key_shown_before`, which contains the key's hash. If no
 * response arrives at all, the caller must check the list of usage keys.
 */
const LOST_KEY_FIX =
  'A usage key may have been created and lost: look for its name in listApiKeys, remove it with removeUsageApiKey({ usage_api_key: api_key_hash }), and create another.'

export function accountOperations({ read, list, write }: CoreCalls): AccountOperations {
  return {
    getAccount: (options) => read('get_account', {}, options),

    createWallet: (fields = {}, options) => write('create_wallet', fields, options),
    listWallets: (options) => list('list_wallets', {}, options),
    listWalletsInGroup: ({ group_id }, options) =>
      list('list_wallets_in_group', { group_id }, options),

    addGroup: (fields, options) => write('add_group', fields, options),
    updateGroup: (fields, options) => write('update_group', fields, options),
    removeGroup: (fields, options) => write('remove_group', fields, options),
    addPkpToGroup: (fields, options) => write('add_pkp_to_group', fields, options),
    removePkpFromGroup: (fields, options) => write('remove_pkp_from_group', fields, options),
    addActionToGroup: (fields, options) => write('add_action_to_group', fields, options),
    removeActionFromGroup: (fields, options) => write('remove_action_from_group', fields, options),
    listGroups: (options) => list('list_groups', {}, options),
    getGroup: ({ group_id }, options) => read('get_group', { group_id }, options),

    addAction: (fields, options) => write('add_action', fields, options),
    updateActionMetadata: (fields, options) => write('update_action_metadata', fields, options),
    deleteAction: (fields, options) => write('delete_action', fields, options),
    listActions: ({ group_id } = {}, options) => list('list_actions', { group_id }, options),

    addUsageApiKey: (fields, options) =>
      write<NewUsageKey>('add_usage_api_key', fields, options).catch(
        adviseIfLost(LOST_KEY_FIX, { keepsKey: true }),
      ),
    updateUsageApiKey: (fields, options) => write('update_usage_api_key', fields, options),
    removeUsageApiKey: (fields, options) => write('remove_usage_api_key', fields, options),
    listApiKeys: (options) => list('list_api_keys', {}, options),
  }
}
