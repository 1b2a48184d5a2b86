import { newAccountRequest } from '../../shared/wire/core.ts'
import type { z } from 'zod'
import { apiKeyHash, newApiKey } from '../accounts/api-key.ts'
import { addressOf } from '../keys/keyring.ts'
import type { Operation } from './operation.ts'

/** Opens an account in one transaction. The key is shown once and never stored; `email` is never on chain. */
export const newAccount: Operation<z.infer<typeof newAccountRequest>> = {
  method: 'POST',
  path: '/core/v1/new_account',
  auth: 'none',
  body: { schema: newAccountRequest },
  handle: async ({ body }, { keyring, writer }) => {
    const apiKey = newApiKey()
    const hash = apiKeyHash(apiKey)
    const wallet = addressOf(keyring.accountKey(hash))
    await writer.write('newAccount', [hash, wallet, body.account_name, body.account_description])
    return { api_key: apiKey, wallet_address: wallet }
  },
}
