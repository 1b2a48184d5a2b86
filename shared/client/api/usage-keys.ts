import type { AccountOperations, NewUsageKey } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'
import { NetworkFailed } from '../failures/transport-errors.ts'

type UsageKeys = Pick<
  AccountOperations,
  'addUsageApiKey' | 'updateUsageApiKey' | 'removeUsageApiKey' | 'listApiKeys'
>

export function usageKeys(calls: CoreCalls): UsageKeys {
  return {
    addUsageApiKey: (fields, options) =>
      calls.write<NewUsageKey>('add_usage_api_key', fields, options).catch(adviseLostKey),
    updateUsageApiKey: (fields, options) => calls.write('update_usage_api_key', fields, options),
    removeUsageApiKey: (fields, options) => calls.write('remove_usage_api_key', fields, options),
    listApiKeys: (options) => calls.list('list_api_keys', {}, options),
  }
}

/**
 * Adds advice if the response was lost, because the service returns a usage key only once. A retry with the same
 * Idempotency-Key fails with the `Conflict` `key_shown_before`, which contains the key's hash. If no response arrives
 * at all, the caller must check the list of usage keys.
 */
function adviseLostKey(error: unknown): never {
  if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted) throw error
  const fix =
    'A usage key may have been created and lost: look for its name in listApiKeys, remove it with removeUsageApiKey({ usage_api_key: api_key_hash }), and create another.'
  throw new NetworkFailed(
    { mayHaveBeenExecuted: true, idempotencyKey: error.idempotencyKey, fix },
    { cause: error.cause },
  )
}
