import { sql } from 'drizzle-orm'
import { DAY_MS } from '../../shared/durations.ts'
import {
  LISTED_DATA_MAX_BYTES,
  UNPAID_TRANSACTION_DATA_MAX_BYTES,
  UNSIGNED_TRANSACTIONS_PER_DAY,
} from '../../shared/limits.ts'
import type { Database } from '../db/open.ts'
import { isUnpaidData, isUnsignedRequest, transactions } from '../db/schema.ts'

/** A request to store a transaction. */
export type StorageRequest = {
  accountHash: string
  largeBytes: number
  /** False for the transactions of runs, which the account pays for. */
  isFree: boolean
  by: 'owner' | 'usage key'
}

/** Limit that a request exceeds: bytes of large data, or transactions that ended without a signature. */
export type StorageLimit = 'data' | 'unsigned'

/** Returns the size of data in 0x hex and of error signatures if they are not kept permanently, otherwise 0. */
export function largeBytesOf(data: string, errors: readonly string[]): number {
  const bytes = data.length / 2 - 1 + errors.reduce((sum, text) => sum + text.length, 0)
  return bytes > LISTED_DATA_MAX_BYTES ? Math.ceil(bytes) : 0
}

/**
 * Decides which of several requests exceed what their accounts may store without paying gas for it. The sums are read
 * from the rows, so they hold in all processes. Requests that other processes store at the same time are not counted.
 */
export async function exceededLimits(
  db: Database,
  requests: readonly StorageRequest[],
  now: number,
): Promise<(StorageLimit | undefined)[]> {
  const counted = requests.filter(({ largeBytes, isFree }) => largeBytes > 0 || isFree)
  if (counted.length === 0) return requests.map(() => undefined)
  const usages = await readUsages(db, new Set(counted.map(({ accountHash }) => accountHash)), now)
  return requests.map((request) => {
    const usage = usages.get(request.accountHash)
    if (!usage) return undefined
    const max = request.by === 'owner' ? 'account' : 'usageKeys'
    if (request.isFree && usage.unsigned >= UNSIGNED_TRANSACTIONS_PER_DAY[max]) return 'unsigned'
    const bytes = usage.bytes + request.largeBytes
    if (request.largeBytes > 0 && bytes > UNPAID_TRANSACTION_DATA_MAX_BYTES[max]) return 'data'
    usage.bytes = bytes
    return undefined
  })
}

type Usage = { bytes: number; unsigned: number }

async function readUsages(
  db: Database,
  accounts: ReadonlySet<string>,
  now: number,
): Promise<Map<string, Usage>> {
  const since = new Date(now - DAY_MS).toISOString()
  const ofAccount = sql`${transactions.accountHash} = account.hash`
  const result = await db.execute(sql`
    select
      account.hash,
      (
        select coalesce(sum(${transactions.largeBytes}), 0)::int from ${transactions}
        where ${ofAccount} and ${isUnpaidData(transactions)}
      ) as bytes,
      (
        select count(*)::int from (
          select 1 from ${transactions}
          where ${ofAccount} and ${isUnsignedRequest(transactions)} and ${transactions.endedAt} > ${since}::timestamptz
          limit ${UNSIGNED_TRANSACTIONS_PER_DAY.account}
        ) as counted
      ) as unsigned
    from jsonb_array_elements_text(${JSON.stringify([...accounts])}::jsonb) as account(hash)`)
  const { rows } = result as { rows: (Usage & { hash: string })[] }
  return new Map(rows.map(({ hash, bytes, unsigned }) => [hash, { bytes, unsigned }]))
}
