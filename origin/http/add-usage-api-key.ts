import type { z } from 'zod'
import { addUsageApiKeyResponse, addUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import { word } from '../accounts/account.ts'
import { registerFreshKey } from '../accounts/fresh-key.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import { ContractRevertError } from '../accounts/writer.ts'
import { KeyAlreadyShownError } from './key-already-shown-error.ts'
import type { Operation } from './operation.ts'
import { readSpendCap, removeSpendCap } from './spend-cap.ts'
import { toContractPermissions } from './usage-key-permissions.ts'

/** The response shows the key once; only its hash is stored on the chain. */
export const addUsageApiKeyOperation: Operation<z.infer<typeof addUsageApiKeyRequest>> = {
  method: 'POST',
  path: '/core/v1/add_usage_api_key',
  summary: 'Creates a usage key with limited permissions. The key is shown only once.',
  auth: 'account_key',
  writes: 'setUsageApiKey',
  body: { schema: addUsageApiKeyRequest },
  responseSchema: addUsageApiKeyResponse,
  showsKey: 'usage_api_key_hash',
  statuses: [404, 409, 503],
  handle: ({ principal, body, writeId: firstWriteId }, { credits, log, writer }) => {
    const permissions = toContractPermissions(body)
    const cap = readSpendCap(body) ?? null
    return registerFreshKey(firstWriteId, async ({ text, hash, writeId }) => {
      const payer = { accountHash: principal.account.hash, keyHash: hash }
      // Set the cap before registering the key, so that the key can never exceed it.
      if (cap) await credits.setCap(payer, cap)
      try {
        const args = [principal.keyHash, hash, permissions]
        const receipt = await writer.write('setUsageApiKey', args, { writeId })
        const registered = word(receiptEvent(receipt, 'UsageApiKeySet').usageApiKeyHash)
        // An earlier request with this write ID registered a different key. The text of that key was lost with the
        // process that generated it.
        if (registered !== hash) throw new KeyAlreadyShownError(registered)
      } catch (error) {
        // After any other failure, the usage key may still be registered, so its spending cap must remain.
        const neverWas =
          error instanceof ContractRevertError || error instanceof KeyAlreadyShownError
        if (cap && neverWas) await removeSpendCap({ credits, log }, payer)
        throw error
      }
      return { success: true, usage_api_key: text, usage_api_key_hash: hash }
    })
  },
}
