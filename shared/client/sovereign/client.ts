import { accountExists } from '../api/account.ts'
import type { ClientParts } from '../client-parts.ts'
import type { AccountOperations } from '../core/account.ts'
import { type AuditLogOperations, auditLogOperations } from '../core/audit-log.ts'
import { type BillingOperations, billingOperations } from '../core/billing.ts'
import { type CommonOperations, commonOperations } from '../core/common-operations.ts'
import { coreCalls } from '../core/core-calls.ts'
import {
  type ActionAnswer,
  type ActionOptions,
  type ActionToRun,
  runAction,
} from '../core/execution.ts'
import { type TransactionOperations, transactionOperations } from '../core/transactions.ts'
import { requireApiKeyFormat } from '../credential.ts'
import { NotSent } from '../failures/transport-errors.ts'
import type { CallOptions, SovereignOptions } from '../options.ts'
import type { Ownership } from './ownership.ts'
import { sovereignAccount } from './sovereign-account.ts'

export type SovereignClient = AccountOperations &
  Ownership &
  CommonOperations &
  TransactionOperations & {
    readonly mode: 'sovereign'
    /** @param key defaults to the client's usage key */
    accountExists(key?: string, options?: CallOptions): Promise<boolean>
    /**
     * Runs an action. The usage key pays for the execution. See `core/execution.ts`.
     * @throws {NotSent} `no_usage_key`
     */
    svcAction<Response = unknown>(
      action: ActionToRun,
      options?: ActionOptions,
    ): Promise<ActionAnswer<Response>>
    /**
     * Billing operations, authorized by a proof of the wallet. The wallet is asked for a new proof at most every four
     * minutes.
     */
    billing: BillingOperations
    /** Authorized by the same proof of the wallet as billing. */
    auditLog: AuditLogOperations
    /** Returns the same client with another usage key. @throws {NotSent} `bad_credential` */
    withUsageKey(usageKey: string): SovereignClient
  }

/**
 * @throws {NoWallet} for an invalid signer
 * @throws {NotSent} `bad_credential` for an invalid usage key
 */
export function createSovereignClient(
  parts: ClientParts,
  options: Pick<SovereignOptions, 'signer' | 'usageKey' | 'contractAddress' | 'onStep'>,
): SovereignClient {
  const { requester, environment, signal, verification, sealedActions } = parts
  const { account, billing, retryingRequester, sending } = sovereignAccount({
    ...environment,
    ...options,
    requester,
    signal,
    verified: (ofCall) => verification.beforeCredential(ofCall),
  })
  const calls = coreCalls(retryingRequester, billing)
  const shared = {
    mode: 'sovereign',
    ...commonOperations(parts),
    ...account,
    ...transactionOperations({ requester, reads: calls, writes: sending, environment, signal }),
    billing: billingOperations({ requester, calls, environment, signal }),
    auditLog: auditLogOperations({ calls, verification }),
  } as const
  const withKey = (usageKey: string | undefined): SovereignClient => {
    if (usageKey !== undefined) requireApiKeyFormat(usageKey)
    const credential = () => {
      if (usageKey !== undefined) return { apiKey: usageKey }
      throw new NotSent('no_usage_key', 'the client has no usage key', CREATE_KEY_FIX)
    }
    const apiKey = () => credential().apiKey
    const keyCalls = coreCalls(requester, credential)
    const execution = { calls: keyCalls, verification, sealedActions, apiKey }
    return {
      ...shared,
      accountExists: async (other, callOptions) => {
        const asked = other === undefined ? credential() : { apiKey: other }
        return accountExists(requester, asked, callOptions)
      },
      svcAction: (action, callOptions) => runAction(execution, action, callOptions),
      withUsageKey: withKey,
    }
  }
  return withKey(options.usageKey)
}

const CREATE_KEY_FIX = 'Create one with addUsageApiKey, and use client.withUsageKey(key).'
