import type { z } from 'zod'
import { addUsageApiKeyAnswer, addUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import { word } from '../accounts/account.ts'
import { registerFreshKey } from '../accounts/fresh-key.ts'
import { eventIn } from '../accounts/receipt-event.ts'
import { ContractRefused } from '../accounts/writer.ts'
import { KeyShownBefore } from './key-shown-before.ts'
import type { Operation } from './operation.ts'
import { spendCapIn, forgetCap } from './spend-cap.ts'
import { permissionsOf } from './usage-key-permissions.ts'

/** The key is shown once; only its hash goes on the chain. */
export const addUsageApiKey: Operation<z.infer<typeof addUsageApiKeyRequest>> = {
  method: 'POST',
  path: '/core/v1/add_usage_api_key',
  summary: 'Creates a usage key with limited permissions. The key is shown only once.',
  auth: 'account_key',
  writes: 'setUsageApiKey',
  body: { schema: addUsageApiKeyRequest },
  answer: addUsageApiKeyAnswer,
  showsKey: 'usage_api_key_hash',
  statuses: [404, 409, 503],
  handle: ({ principal, body, writeId: firstWriteId }, { credits, log, writer }) => {
    const permissions = permissionsOf(body)
    const cap = spendCapIn(body) ?? null
    return registerFreshKey(firstWriteId, async ({ text, hash, writeId }) => {
      const payer = { accountHash: principal.account.hash, keyHash: hash }
      // Set before the key is registered, so that the key can never spend more.
      if (cap) await credits.setCap(payer, cap)
      try {
        const args = [principal.keyHash, hash, permissions]
        const receipt = await writer.write('setUsageApiKey', args, { writeId })
        const registered = word(eventIn(receipt, 'UsageApiKeySet').usageApiKeyHash)
        // An earlier request registered a different key under this write ID, whose text was lost with the process that
        // generated it.
        if (registered !== hash) throw new KeyShownBefore(registered)
      } catch (error) {
        // After any other failure, the key may still be registered, so its cap must remain.
        const neverWas = error instanceof ContractRefused || error instanceof KeyShownBefore
        if (cap && neverWas) await forgetCap({ credits, log }, payer)
        throw error
      }
      return { success: true, usage_api_key: text, usage_api_key_hash: hash }
    })
  },
}
