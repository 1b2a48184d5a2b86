import { and, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { FAILED_EXECUTION_WINDOW_MS } from '../../shared/limits.ts'
import { deleteInBatches } from '../db/delete-in-batches.ts'
import type { Database, Transaction } from '../db/open.ts'
import { spendCaps, type TransferRow, windowSums } from '../db/schema.ts'
import { ACCOUNT_PAID, failedSeries, paidSeries, type Payer, spentSeries } from './budget-names.ts'

/** An amount leaves the window up to 1/60 of the window's length late, and never early. */
const STEPS_PER_WINDOW = 60

const HOUR_SECONDS = FAILED_EXECUTION_WINDOW_MS / 1000

/** Time for which expired rows are retained, because the clock of another process may be behind. */
const PRUNE_AFTER_MS = 60_000

export type WindowSum = { amount: number; nextLeavesAt: Date | undefined }

/**
 * Adds charges to the sums of paid executions, and to the spending of keys with a cap. Uses one statement, in the
 * transaction that posted the transfers. Ignores other kinds of transfers.
 */
export async function addCharges(
  tx: Transaction,
  accountHash: string,
  at: Date,
  posted: readonly TransferRow[],
): Promise<void> {
  const [spent, paid] = [new Map<string, number>(), new Map<string, number>()]
  for (const { kind, keyHash, cents } of posted) {
    if (keyHash === null || (kind !== 'write' && kind !== 'execution')) continue
    add(spent, keyHash, cents)
    if (kind === 'write') continue
    add(paid, ACCOUNT_PAID, cents)
    add(paid, paidSeries(keyHash), cents)
  }
  if (spent.size === 0) return
  const ofCaps = sql`SELECT ${spentSeries('')} || c.key_hash, c.window_seconds, v.amount
    FROM ${spendCaps} c JOIN (${values(spent)}) v (key_hash, amount) ON c.key_hash = v.key_hash
    WHERE c.account_hash = ${accountHash}`
  const rows = paid.size === 0 ? ofCaps : sql`${ofCaps} UNION ALL ${hourlyRows(values(paid))}`
  await tx.execute(windowSumUpsert(accountHash, at, rows))
}

/** @param amounts a query with the columns series and amount */
export function hourlyRows(amounts: SQL): SQL {
  return sql`SELECT v.series, ${HOUR_SECONDS}::int, v.amount FROM (${amounts}) v (series, amount)`
}

/** @param used milliseconds by budget name */
export async function addFailures(
  tx: Transaction,
  accountHash: string,
  at: Date,
  used: ReadonlyMap<string, number>,
): Promise<void> {
  if (used.size === 0) return
  const rows = values(new Map([...used].map(([budget, ms]) => [failedSeries(budget), ms])))
  await tx.execute(windowSumUpsert(accountHash, at, hourlyRows(rows)))
}

/** The result omits series without a sum. */
export async function readSums(
  db: Pick<Database, 'select'>,
  accountHash: string,
  series: readonly string[],
  at: Date,
): Promise<Map<string, WindowSum>> {
  if (series.length === 0) return new Map()
  const rows = await db
    .select({
      series: windowSums.series,
      amount: sql<string>`sum(${windowSums.amount})`,
      nextLeavesAt: sql<Date>`min(${windowSums.expiresAt})`.mapWith(windowSums.expiresAt),
    })
    .from(windowSums)
    .where(
      and(
        eq(windowSums.accountHash, accountHash),
        inArray(windowSums.series, [...series]),
        gt(windowSums.expiresAt, at),
      ),
    )
    .groupBy(windowSums.series)
  return new Map(
    rows.map(({ series: name, amount, nextLeavesAt }) => [
      name,
      { amount: Number(amount), nextLeavesAt },
    ]),
  )
}

/** Needed if the spending cap is new or has a different window. */
export async function rebuildSpent(
  tx: Transaction,
  { accountHash, keyHash }: Payer,
  at: Date,
  windowSeconds: number,
): Promise<void> {
  await deleteSpent(tx, { accountHash, keyHash })
  const since = new Date(at.getTime() - windowSeconds * 1000)
  const size = stepSeconds(sql`${windowSeconds}::int`)
  await tx.execute(sql`
    INSERT INTO ${windowSums} (account_hash, series, step, amount, expires_at)
    SELECT ${accountHash}, ${spentSeries(keyHash)}, to_timestamp(begin), sum(cents),
      to_timestamp(begin + ${size} + ${windowSeconds}::int)
    FROM (
      SELECT cents, floor(extract(epoch FROM created_at) / ${size}) * ${size} AS begin
      FROM ledger_transfers
      WHERE account_hash = ${accountHash} AND key_hash = ${keyHash}
        AND kind IN ('write', 'execution') AND created_at > ${since.toISOString()}::timestamptz
    ) charges
    GROUP BY begin`)
}

export async function deleteSpent(tx: Transaction, { accountHash, keyHash }: Payer): Promise<void> {
  await tx
    .delete(windowSums)
    .where(
      and(eq(windowSums.accountHash, accountHash), eq(windowSums.series, spentSeries(keyHash))),
    )
}

export async function pruneSums(db: Database, now: number): Promise<void> {
  await deleteInBatches(db, windowSums, lt(windowSums.expiresAt, new Date(now - PRUNE_AFTER_MS)))
}

/** @param rows a query with the columns series, window length in seconds, and amount */
export function windowSumUpsert(accountHash: string, at: Date, rows: SQL): SQL {
  const size = stepSeconds(sql.raw('length'))
  return sql`
    INSERT INTO ${windowSums} (account_hash, series, step, amount, expires_at)
    SELECT ${accountHash}, series, to_timestamp(begin), amount, to_timestamp(begin + ${size} + length)
    FROM (
      SELECT series, length, amount, floor(${at.getTime() / 1000}::float8 / ${size}) * ${size} AS begin
      FROM (${rows}) named (series, length, amount)
    ) stepped
    ON CONFLICT (account_hash, series, step) DO UPDATE SET amount = window_sums.amount + excluded.amount`
}

/** Length of a step in whole seconds, so that the steps of a window never overlap. */
function stepSeconds(windowSeconds: SQL): SQL {
  return sql`ceil(${windowSeconds} / ${sql.raw(`${STEPS_PER_WINDOW}.0`)})::float8`
}

function values(amounts: ReadonlyMap<string, number>): SQL {
  const rows = [...amounts].map(([name, amount]) => sql`(${name}::text, ${amount}::bigint)`)
  return sql`VALUES ${sql.join(rows, sql`, `)}`
}

function add(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount)
}
