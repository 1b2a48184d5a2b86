import type { z } from 'zod'
import { successResponse } from '../../shared/wire/fields.ts'
import { updateUsageApiKeyRequest } from '../../shared/wire/usage-keys.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import type { AccountRate } from '../admission/account-rate.ts'
import { LimitExceededError } from '../admission/call-rate.ts'
import { requireUsageKey } from '../accounts/account-lookups.ts'
import { ContractUnavailableError } from '../accounts/chain.ts'
import { CreditsUnavailableError } from '../credits/credit-errors.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import { fieldMask } from './field-mask.ts'
import type { Operation } from './operation.ts'
import { readLimits } from './key-limits.ts'
import { readSpendCap } from './spend-cap.ts'

type Changes = z.infer<typeof updateUsageApiKeyRequest>

/**
 * A given array replaces the current one, and absent fields stay unchanged. The spending cap and the limits are not on
 * the chain: if only they change, no transaction is sent. They are set last, because setting them again after a failure
 * is free of charge. With `X-Wallet-Auth`, the admin wallet of a ChainSecured account can change only the cap and the
 * limits; to change the other fields, the wallet sends transactions itself.
 */
export const updateUsageApiKeyOperation: Operation<Changes> = {
  method: 'POST',
  path: '/core/v1/update_usage_api_key',
  summary:
    'Changes the given fields of a usage key. An array replaces the current one. With X-Wallet-Auth, only the spending cap and the limits can be changed.',
  auth: 'account_key',
  walletAuth: true,
  writes: 'updateUsageApiKey',
  writesUnless: (body) => readChanges(body).fields === 0,
  body: { schema: updateUsageApiKeyRequest },
  responseSchema: successResponse,
  statuses: [404, 503],
  handle: async (
    { principal, body, writeId, audit },
    { credits, keyLimits, writer, limitChanges },
  ) => {
    const { account, keyHash: masterHash } = principal
    const { hash: keyHash } = requireUsageKey(account, body.usageApiKeyHash)
    const { fields, key: changed } = readChanges(body)
    if (fields === 0) requireLimitChange(account.hash, limitChanges)
    if (fields > 0)
      await writer.write('updateUsageApiKey', [masterHash, keyHash, fields, changed], {
        writeId,
        audit: audit(),
      })
    const key = { accountHash: account.hash, keyHash }
    const [cap, limits] = [readSpendCap(body), readLimits(body)]
    const auditAs = (change: string) => ({ context: audit(), sourceId: `${change}/${writeId}` })
    const setOffChain = async () => {
      if (cap !== undefined) await credits.setCap(key, cap, auditAs('cap'))
      if (limits) await keyLimits.change(key, limits, auditAs('limits'))
    }
    await (fields === 0 ? setOffChain() : setOffChain().catch(throwNotSet))
    return { success: true }
  },
}

/** Changes on the chain are charged instead. @throws {LimitExceededError} */
function requireLimitChange(accountHash: string, limitChanges: AccountRate): void {
  const refused = limitChanges.take(accountHash, 'owner')
  if (refused)
    throw new LimitExceededError(
      `this account has changed spending caps and limits of keys ${refused.count} times within a minute`,
      refused.retryAfterMs,
    )
}

/**
 * Reports that the cap or the limits were not set. The other changes are already on the chain, so "nothing was executed"
 * would be wrong.
 * @throws {ApiError}
 */
function throwNotSet(error: unknown): never {
  if (error instanceof DatabaseUnavailableError || error instanceof ContractUnavailableError)
    throw new ApiError(
      503,
      `The key was changed, but its limits may not have been: ${error.message}.`,
      'Send only the spending cap and the limits again, without the other fields; this is free of charge.',
      { headers: { 'retry-after': '2' } },
    )
  if (!(error instanceof CreditsUnavailableError)) throw error
  throw new ApiError(
    503,
    'The key was changed, but its spending cap may not have been: the ledger does not respond.',
    'Send only spend_cap_cents and spend_window_seconds again; nothing was charged.',
    { headers: { 'retry-after': '2' } },
  )
}

/** Returns the contract's `UsageApiKey` fields in order, and the mask of fields to replace (bit n for field n). */
function readChanges(body: Changes): { fields: number; key: readonly unknown[] } {
  const members: [unknown, unknown][] = [
    [body.name, ''],
    [body.description, ''],
    [body.can_create_groups, false],
    [body.can_delete_groups, false],
    [body.can_create_pkps, false],
    [body.manage_ipfs_ids_in_groups, []],
    [body.add_pkp_to_groups, []],
    [body.remove_pkp_from_groups, []],
    [body.execute_in_groups, []],
  ]
  return {
    fields: fieldMask(members.map(([given]) => given)),
    key: members.map(([given, unchanged]) => given ?? unchanged),
  }
}
