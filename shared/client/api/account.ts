import type { z } from 'zod'
import type { newAccountResponse } from '../../wire/core.ts'
import { adviseIfLost } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import type { Requester } from '../request.ts'
import { withoutNullMembers } from '../../json/without-null-members.ts'
import type { AccountKey } from './account-key.ts'

export type NewAccountFields = {
  account_name: string
  account_description?: string
  /** Owner's email address, which is stored encrypted, and never on the chain. `getAccount` returns the address. */
  email?: string
}
export type NewAccount = z.infer<typeof newAccountResponse>

/**
 * Opens an account, which takes about 15 seconds. The account key is returned only once. If the client has no key, it
 * uses the new key for its next calls. A call that may have been executed is not retried, because each call opens
 * another account.
 * @throws {NetworkFailed} if an account may have been opened, but the response with its key was lost
 */
export async function newAccount(
  requester: Requester,
  key: AccountKey,
  given: NewAccountFields,
  options?: CallOptions,
): Promise<NewAccount> {
  const { account_description = '', ...fields } = withoutNullMembers(given)
  const path = '/core/v1/new_account'
  const json = { ...fields, account_description }
  const request = { method: 'POST', path, json, repeat: 'never', options } as const
  const { body } = await requester.core<NewAccount>(request).catch(adviseIfLost(LOST_ACCOUNT_FIX))
  if (!key.isSet) key.use(body.api_key)
  return body
}

const LOST_ACCOUNT_FIX =
  'An account may have been opened whose key is lost. It is empty and costs nothing. Call newAccount again to open another one.'

/** Returns whether the key belongs to an account. Unlike other calls, does not throw for an unknown key. */
export async function accountExists(
  requester: Requester,
  credential: { apiKey: string },
  options?: CallOptions,
): Promise<boolean> {
  const path = '/core/v1/account_exists'
  const request = { method: 'GET', path, credential, repeat: 'idempotent', options } as const
  return (await requester.core<boolean>(request)).body
}
