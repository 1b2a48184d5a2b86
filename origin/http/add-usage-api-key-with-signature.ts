import type { z } from 'zod'
import {
  addUsageApiKeyWithSignatureResponse,
  addUsageApiKeyWithSignatureRequest,
} from '../../shared/wire/usage-keys.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { newApiKey } from '../accounts/fresh-key.ts'
import { simulateAdminWrite } from '../accounts/writer/simulate.ts'
import type { Operation } from './operation.ts'
import { toContractPermissions } from './usage-key-permissions.ts'

/**
 * Generates a usage key without storing it. The key becomes valid when the admin wallet sends the key's hash to the
 * contract. That call is simulated first, to report a revert early.
 */
export const addUsageApiKeyWithSignatureOperation: Operation<
  z.infer<typeof addUsageApiKeyWithSignatureRequest>
> = {
  method: 'POST',
  path: '/core/v1/add_usage_api_key_with_signature',
  summary:
    'Generates a usage key for a ChainSecured account, authorized by a signature of its admin wallet (AddUsageApiKey). The admin wallet then sends setUsageApiKey. The key is shown only once. Free of charge.',
  auth: 'wallet_signature',
  purpose: 'AddUsageApiKey',
  body: { schema: addUsageApiKeyWithSignatureRequest },
  responseSchema: addUsageApiKeyWithSignatureResponse,
  showsKey: 'usage_api_key_hash',
  statuses: [404],
  handle: async ({ principal, body }, { chain, mirror, walletCalls }) => {
    const { account } = principal
    await walletCalls.takeCreation(account.hash)
    const key = newApiKey()
    const hash = apiKeyHash(key)
    const args = [account.hash, hash, toContractPermissions(body)]
    await simulateAdminWrite(account.adminWallet, 'setUsageApiKey', args, { chain, mirror })
    return { usage_api_key: key, usage_api_key_hash: hash }
  },
}
