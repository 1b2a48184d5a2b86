/** Client in API mode: an API key authorizes each call, and the service sends the transactions. */
import type { AccountOperations } from '../core/account.ts'
import { type BillingOperations, billingOperations } from '../core/billing.ts'
import { type CommonOperations, commonOperations } from '../core/common-operations.ts'
import { coreCalls } from '../core/core-calls.ts'
import {
  type ActionAnswer,
  type ActionOptions,
  type ActionToRun,
  runAction,
} from '../core/execution.ts'
import type { ClientParts } from '../client-parts.ts'
import type { CallOptions } from '../options.ts'
import type { EthereumSigner } from '../sovereign/signer.ts'
import { accountExists, newAccount, type NewAccount, type NewAccountFields } from './account.ts'
import { AccountKey } from './account-key.ts'
import { accountOperations } from './account-operations.ts'
import { type Converted, convertToChainSecured } from './conversion.ts'
import { rotateAccountApiKey, type Rotated, type RotationOptions } from './rotation.ts'

export type ApiClient = AccountOperations &
  CommonOperations & {
    readonly mode: 'api'
    /** Opens an account. See `newAccount` in `api/account.ts`. */
    newAccount(fields: NewAccountFields, options?: CallOptions): Promise<NewAccount>
    /** @param key defaults to the client's own key */
    accountExists(key?: string, options?: CallOptions): Promise<boolean>
    /** Replaces the account key. See `api/rotation.ts`. */
    rotateAccountApiKey(options?: RotationOptions): Promise<Rotated>
    /** Converts the account to ChainSecured mode. Irreversible. See `api/conversion.ts`. */
    convertToChainSecured(signer: EthereumSigner, options?: CallOptions): Promise<Converted>
    /** Runs an action. See `core/execution.ts`. */
    svcAction<Response = unknown>(
      action: ActionToRun,
      options?: ActionOptions,
    ): Promise<ActionAnswer<Response>>
    billing: BillingOperations
  }

/** Creates a client in API mode. @throws {NotSent} `bad_credential` if `apiKey` is not an API key */
export function createApiClient(parts: ClientParts, apiKey: string | undefined): ApiClient {
  const { requester, environment, verification, sealedActions, signal } = parts
  const { now, random } = environment
  const key = new AccountKey(apiKey)
  const calls = coreCalls(requester, () => key.credential())
  const common = commonOperations(parts)
  const ownKey = () => key.credential().apiKey
  const execution = { calls, verification, sealedActions, apiKey: ownKey }
  return {
    mode: 'api',
    ...common,
    ...accountOperations(calls),
    newAccount: (fields, options) => newAccount(requester, key, fields, options),
    accountExists: async (other, options) =>
      accountExists(requester, other === undefined ? key.credential() : { apiKey: other }, options),
    rotateAccountApiKey: (options) =>
      rotateAccountApiKey({ requester, calls, key, random }, options),
    convertToChainSecured: (signer, options) =>
      convertToChainSecured({ calls, node: common, now, signal }, signer, options),
    svcAction: (action, options) => runAction(execution, action, options),
    billing: billingOperations({ requester, calls, environment, signal }),
  }
}
