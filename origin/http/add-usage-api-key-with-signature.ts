import type { z } from 'zod'
import {
  addUsageApiKeyWithSignatureAnswer,
  addUsageApiKeyWithSignatureRequest,
} from '../../shared/wire/usage-keys.ts'
import { apiKeyHash, newApiKey } from '../accounts/api-key.ts'
import { requireAccepted } from '../accounts/foreseen-write.ts'
import type { Operation } from './operation.ts'
import { permissionsOf } from './usage-key-permissions.ts'

/**
 * The key is not stored, and becomes valid when the admin wallet sends the key's hash to the contract. That call is
 * simulated first, to report a revert early.
 */
export const addUsageApiKeyWithSignature: Operation<
  z.infer<typeof addUsageApiKeyWithSignatureRequest>
> = {
  method: 'POST',
  path: '/core/v1/add_usage_api_key_with_signature',
  summary:
    'Generates a usage key for a ChainSecured account, authorized by a signature of its admin wallet (AddUsageApiKey). The admin wallet then sends setUsageApiKey. The key is shown only once. Free of charge.',
  auth: 'wallet_signature',
  purpose: 'AddUsageApiKey',
  body: { schema: addUsageApiKeyWithSignatureRequest },
  answer: addUsageApiKeyWithSignatureAnswer,
  showsKey: 'usage_api_key_hash',
  statuses: [404],
  handle: async ({ principal, body }, { chain, mirror, walletCalls }) => {
    const { account } = principal
    await walletCalls.made(account.hash)
    const key = newApiKey()
    const hash = apiKeyHash(key)
    const args = [account.hash, hash, permissionsOf(body)]
    await requireAccepted(account.adminWallet, 'setUsageApiKey', args, { chain, mirror })
    return { usage_api_key: key, usage_api_key_hash: hash }
  },
}
