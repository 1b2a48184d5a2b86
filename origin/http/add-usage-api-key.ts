import type { z } from 'zod'
import { addUsageApiKeyResponse, addUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import { word } from '../accounts/account.ts'
import { registerFreshKey } from '../accounts/fresh-key.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import { ContractRevertError } from '../accounts/writer.ts'
import type { ChangeAudit } from '../audit-log/append-entry.ts'
import { KeyAlreadyShownError } from './key-already-shown-error.ts'
import type { Operation } from './operation.ts'
import { readLimits, removeLimits, requireFutureExpiry } from './key-limits.ts'
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
  handle: (
    { principal, body, writeId: firstWriteId, audit },
    { credits, keyLimits, log, now, writer },
  ) => {
    const permissions = toContractPermissions(body)
    const cap = readSpendCap(body) ?? null
    const limits = readLimits(body)
    requireFutureExpiry(limits, now())
    return registerFreshKey(firstWriteId, async ({ text, hash, writeId }) => {
      const payer = { accountHash: principal.account.hash, keyHash: hash }
      // Set the cap and the limits before registering the key, so that the key can never exceed them.
      const capAudit = { context: audit(), sourceId: `cap/${writeId}` }
      const limitsAudit = { context: audit(), sourceId: `limits/${writeId}` }
      if (cap) await credits.setCap(payer, cap, capAudit)
      if (limits) await keyLimits.change(payer, limits, limitsAudit)
      try {
        const args = [principal.keyHash, hash, permissions]
        const receipt = await writer.write('setUsageApiKey', args, {
          writeId,
          audit: audit(),
        })
        const registered = word(receiptEvent(receipt, 'UsageApiKeySet').usageApiKeyHash)
        // An earlier request with this write ID registered a different key. The text of that key was lost with the
        // process that generated it.
        if (registered !== hash) throw new KeyAlreadyShownError(registered)
      } catch (error) {
        // After any other failure, the usage key may still be registered, so its spending cap and limits must remain.
        const neverWas =
          error instanceof ContractRevertError || error instanceof KeyAlreadyShownError
        if (cap && neverWas) await removeSpendCap({ credits, log }, payer, removalOf(capAudit))
        if (limits && neverWas)
          await removeLimits({ keyLimits, log }, payer, removalOf(limitsAudit))
        throw error
      }
      return { success: true, usage_api_key: text, usage_api_key_hash: hash }
    })
  },
}

function removalOf({ context, sourceId }: ChangeAudit): ChangeAudit {
  return { context, sourceId: `${sourceId}/removed` }
}
