import type { z } from 'zod'
import {
  rotateAccountApiKeyResponse,
  rotateAccountApiKeyRequest,
} from '../../shared/wire/usage-keys.ts'
import { word } from '../accounts/account.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { registerFreshKey } from '../accounts/fresh-key.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import { KeyAlreadyShownError } from './key-already-shown-error.ts'
import type { Operation } from './operation.ts'

/**
 * Replaces the account key. The old key is rejected with 401 from then on. The response shows the new key once, so a
 * caller that loses the response loses the account. To avoid this, the caller can choose the new key.
 */
export const rotateAccountApiKeyOperation: Operation<z.infer<typeof rotateAccountApiKeyRequest>> = {
  method: 'POST',
  path: '/core/v1/rotate_account_api_key',
  summary: 'Replaces the account key. The new key is shown only once; the old key stops working.',
  auth: 'account_key',
  writes: 'rotateAccountApiKey',
  body: { schema: rotateAccountApiKeyRequest, optional: true },
  responseSchema: rotateAccountApiKeyResponse,
  showsKey: 'api_key_hash',
  statuses: [409, 503],
  handle: async ({ principal, body, writeId: firstWriteId, audit }, { writer }) => {
    const rotate = async (hash: string, writeId: string) => {
      const receipt = await writer.write('rotateAccountApiKey', [principal.keyHash, hash], {
        writeId,
        audit: audit(),
      })
      return word(receiptEvent(receipt, 'AliasSet').aliasHash)
    }
    if (body.new_api_key !== undefined)
      return {
        success: true,
        api_key_hash: await rotate(apiKeyHash(body.new_api_key), firstWriteId),
      }
    return registerFreshKey(firstWriteId, async ({ text, hash, writeId }) => {
      const registered = await rotate(hash, writeId)
      if (registered !== hash) throw new KeyAlreadyShownError(registered)
      return { success: true, api_key: text, api_key_hash: hash }
    })
  },
}
