/** Client in API mode: an API key authorizes each call, and the service sends the transactions. */
import type { z } from 'zod'
import type { walletStatementResponse } from '../../wire/wallet-statement.ts'
import type { AccountOperations, NewUsageKey, PkpId } from '../core/account.ts'
import { type AuditLogOperations, auditLogOperations } from '../core/audit-log.ts'
import { type BillingOperations, billingOperations } from '../core/billing.ts'
import { type CommonOperations, commonOperations } from '../core/common-operations.ts'
import { coreCalls, type CoreCalls } from '../core/core-calls.ts'
import {
  type ActionAnswer,
  type ActionOptions,
  type ActionToRun,
  runAction,
} from '../core/execution.ts'
import { type TransactionOperations, transactionOperations } from '../core/transactions.ts'
import type { ClientParts } from '../client-parts.ts'
import type { CallOptions } from '../options.ts'
import type { EthereumSigner } from '../sovereign/signer.ts'
import { accountExists, newAccount, type NewAccount, type NewAccountFields } from './account.ts'
import { AccountKey } from './account-key.ts'
import { type Converted, convertToChainSecured } from './conversion.ts'
import { rotateAccountApiKey, type Rotated, type RotationOptions } from './rotation.ts'
import { adviseIfLost } from '../failures/transport-errors.ts'

export type ApiClient = AccountOperations &
  CommonOperations &
  TransactionOperations & {
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
    /**
     * Returns a signed statement about how the key of a wallet is derived (docs/policies.md#proof).
     * @example
     * const { derivation, statement } = await client.getWalletStatement({ pkp_id: wallet_address })
     */
    getWalletStatement(
      fields: { pkp_id: PkpId },
      options?: CallOptions,
    ): Promise<WalletKeyStatement>
    billing: BillingOperations
    auditLog: AuditLogOperations
  }

export type WalletKeyStatement = z.infer<typeof walletStatementResponse>

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
    ...transactionOperations({ requester, reads: calls, writes: calls, environment, signal }),
    newAccount: (fields, options) => newAccount(requester, key, fields, options),
    accountExists: async (other, options) =>
      accountExists(requester, other === undefined ? key.credential() : { apiKey: other }, options),
    rotateAccountApiKey: (options) =>
      rotateAccountApiKey({ requester, calls, key, random }, options),
    convertToChainSecured: (signer, options) =>
      convertToChainSecured({ calls, node: common, now, signal }, signer, options),
    svcAction: (action, options) => runAction(execution, action, options),
    getWalletStatement: ({ pkp_id }, options) =>
      calls.read('get_wallet_statement', { pkp_id }, options),
    billing: billingOperations({ requester, calls, environment, signal }),
    auditLog: auditLogOperations({ calls, verification }),
  }
}

/**
 * Advice for a lost response to the creation of a usage key, because the service returns a usage key only once. A retry
 * with the same Idempotency-Key fails with the `Conflict` `key_shown_before`, which contains the key's hash. If no
 * response arrives at all, the caller must check the list of usage keys.
 */
const LOST_KEY_FIX =
  'A usage key may have been created and lost: look for its name in listApiKeys, remove it with removeUsageApiKey({ usage_api_key: api_key_hash }), and create another.'

function accountOperations({ read, list, ask, write }: CoreCalls): AccountOperations {
  return {
    getAccount: (options) => read('get_account', {}, options),

    createWallet: (fields = {}, options) => write('create_wallet', fields, options),
    listWallets: (options) => list('list_wallets', {}, options),
    listWalletsInGroup: ({ group_id }, options) =>
      list('list_wallets_in_group', { group_id }, options),
    setWalletPolicy: (fields, options) => write('set_wallet_policy', fields, options),
    getWalletPolicy: ({ pkp_id }, options) => read('get_wallet_policy', { pkp_id }, options),
    simulateSignature: (fields, options) => ask('simulate_signature', fields, options),

    addGroup: (fields, options) => write('add_group', fields, options),
    updateGroup: (fields, options) => write('update_group', fields, options),
    removeGroup: (fields, options) => write('remove_group', fields, options),
    addPkpToGroup: (fields, options) => write('add_pkp_to_group', fields, options),
    removePkpFromGroup: (fields, options) => write('remove_pkp_from_group', fields, options),
    addActionToGroup: (fields, options) => write('add_action_to_group', fields, options),
    removeActionFromGroup: (fields, options) => write('remove_action_from_group', fields, options),
    listGroups: (options) => list('list_groups', {}, options),
    getGroup: ({ group_id }, options) => read('get_group', { group_id }, options),

    addAction: (fields, options) => write('add_action', fields, options),
    updateActionMetadata: (fields, options) => write('update_action_metadata', fields, options),
    deleteAction: (fields, options) => write('delete_action', fields, options),
    listActions: ({ group_id } = {}, options) => list('list_actions', { group_id }, options),

    addUsageApiKey: (fields, options) =>
      write<NewUsageKey>('add_usage_api_key', fields, options).catch(
        adviseIfLost(LOST_KEY_FIX, { keepsKey: true }),
      ),
    updateUsageApiKey: (fields, options) => write('update_usage_api_key', fields, options),
    removeUsageApiKey: (fields, options) => write('remove_usage_api_key', fields, options),
    listApiKeys: (options) => list('list_api_keys', {}, options),
  }
}
