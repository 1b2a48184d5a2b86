import type { z } from 'zod'
import { usageResponse, usageQuery, usageRow } from '../../shared/wire/billing.ts'
import type { Account, Principal } from '../accounts/account.ts'
import type { DailyUsage } from '../credits/usage.ts'
import type { Operation } from './operation.ts'
import { Page } from './page.ts'
import { DAY_MS } from '../../shared/durations.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from '../../shared/limits.ts'

/**
 * Reports charges by day, key and purpose. The account key gets the charges of all keys; a usage key gets only its own, unless it has `can_read_account`.
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

/** A usage key without `can_read_account` sees other keys as if they had no charges. */
function visibleKey(
  { keyHash: own, usageKey, canReadAccount }: Principal,
  requestedHash: string | undefined,
): { isForeign: boolean; only: { keyHash?: string } } {
  const keyHash = usageKey && !canReadAccount ? own : requestedHash
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

/**
 * Reads a range of days as `YYYY-MM-DD`, inclusive. `to` defaults to today, and `from` defaults to 30 days of usage.
 * @throws {ApiError} 400 if the days are in the wrong order or the range is too long
 */
function usageRange(
  requested: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string; to: string } {
  const to = requested.to ?? formatDay(now)
  const from = requested.from ?? formatDay(Date.parse(to) - (USAGE_DAYS_DEFAULT - 1) * DAY_MS)
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1)
    throw new ApiError(
      400,
      `from: ${from} is after the last day, ${to}`,
      'Send from and to in chronological order.',
    )
  if (days > USAGE_DAYS_MAX)
    throw new ApiError(
      400,
      `from: ${from} to ${to} are ${days} days; the limit is ${USAGE_DAYS_MAX}`,
      'Send several requests with shorter ranges.',
    )
  return { from, to }
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
