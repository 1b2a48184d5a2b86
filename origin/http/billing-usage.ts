import type { z } from 'zod'
import { usageResponse, usageQuery, usageRow } from '../../shared/wire/billing.ts'
import type { Account, Principal } from '../accounts/account.ts'
import type { DailyUsage } from '../credits/usage.ts'
import type { Operation } from './operation.ts'
import { Page } from './page.ts'
import { usageRange } from './usage-range.ts'

/**
 * Reports charges by day, key and purpose. The account key gets the charges of all keys; a usage key gets only its own.
 * Settles this process's pending charges first, so that the report includes the caller's last run.
 */
export const billingUsageOperation: Operation<undefined, z.infer<typeof usageQuery>> = {
  method: 'GET',
  path: '/core/v1/billing/usage',
  summary: 'Returns the charges by UTC day, key, and action or operation, as JSON or CSV.',
  auth: 'key',
  afterConversion: true,
  walletAuth: true,
  query: usageQuery,
  list: true,
  csv: { fileName: 'usage.csv', columns: Object.keys(usageRow.shape) },
  responseSchema: usageResponse,
  handle: async ({ principal, query, page }, { credits, now }) => {
    const { account } = principal
    const days = usageRange(query, now())
    const key = visibleKey(principal, query.key_hash)
    if (key.isForeign) return new Page([], 0)
    const { offset, limit } = page
    const usageFilter = { accountHash: account.hash, ...days, ...key.only, offset, ...limit }
    const { rows, total } = await credits.usage(usageFilter)
    return new Page(rows, total).map((row) => toUsageRecord(row, account))
  },
}

/** A usage key sees other keys as if they had no charges. */
function visibleKey(
  { keyHash: own, usageKey }: Principal,
  requestedHash: string | undefined,
): { isForeign: boolean; only: { keyHash?: string } } {
  const keyHash = usageKey ? own : requestedHash
  const isForeign = requestedHash !== undefined && requestedHash !== keyHash
  return { isForeign, only: keyHash === undefined ? {} : { keyHash } }
}

/** `key_name` is the current name of the key. */
function toUsageRecord(row: DailyUsage, { usageKeys }: Account): z.infer<typeof usageRow> {
  const { day, keyHash, kind, subject, quantity, cents } = row
  return {
    day,
    api_key_hash: keyHash,
    key_name: usageKeys.get(keyHash)?.name ?? null,
    kind,
    action_cid: kind === 'execution' ? subject : null,
    operation: kind === 'write' ? subject : null,
    quantity,
    cents,
  }
}
