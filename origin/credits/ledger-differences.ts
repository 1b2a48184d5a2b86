/** Each check is a single statement, which reads one snapshot and takes no locks. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { creditAccounts, creditLeases, ledgerTransfers } from '../db/schema.ts'

/** Maximum number of differences to return. If every account differs, there is a single cause. */
const DIFFERENCES_MAX = 100

const integer = (name: string) => sql<number>`${sql.raw(name)}`.mapWith(Number)

/**
 * Finds the accounts for which the stored sums do not match the transfers and leases, and returns both sums. The
 * columns are the fields of the log event `credits.books_differ`.
 * @param since checks only accounts with leased credit or with a transfer after this ID; if omitted, all accounts
 */
export async function findDifferences(db: Database, since?: number) {
  const every = since === undefined
  const credits = sql`'credits:' || account_hash`
  const debt = sql`'debt:' || account_hash`
  const found = sql`(
    WITH changed AS (
      SELECT DISTINCT account_hash FROM ${ledgerTransfers} WHERE id > ${since ?? 0}
      UNION SELECT account_hash FROM ${creditLeases}
      UNION SELECT account_hash FROM ${creditAccounts} WHERE ${every} OR leased_cents <> 0
    ), ledger AS (
      SELECT account_hash, ${netChange(credits)} AS balance, -${netChange(debt)} AS debt
      FROM ${ledgerTransfers}
      WHERE ${every ? sql`true` : sql`account_hash IN (SELECT account_hash FROM changed)`}
      GROUP BY account_hash
    ), leases AS (
      SELECT account_hash, sum(cents) AS leased FROM ${creditLeases} GROUP BY account_hash
    ), compared AS (
      SELECT account_hash, coalesce(balance_cents, 0) AS balance_cents, coalesce(balance, 0) AS balance,
        coalesce(debt_cents, 0) AS debt_cents, coalesce(debt, 0) AS debt,
        coalesce(leased_cents, 0) AS leased_cents, coalesce(leased, 0) AS leased
      FROM changed LEFT JOIN ${creditAccounts} USING (account_hash)
        LEFT JOIN ledger USING (account_hash) LEFT JOIN leases USING (account_hash)
    )
    SELECT * FROM compared
    WHERE (balance_cents, debt_cents, leased_cents) <> (balance, debt, leased)
    ORDER BY account_hash LIMIT ${DIFFERENCES_MAX}
  ) AS differing`
  return db
    .select({
      account: sql<string>`account_hash`,
      balance_cents: integer('balance_cents'),
      ledger_balance_cents: integer('balance'),
      debt_cents: integer('debt_cents'),
      ledger_debt_cents: integer('debt'),
      leased_cents: integer('leased_cents'),
      leases_cents: integer('leased'),
    })
    .from(found)
}

function netChange(account: SQL): SQL {
  return sql`sum(CASE ${account} WHEN to_account THEN cents WHEN from_account THEN -cents ELSE 0 END)`
}

/**
 * Sums all ledger accounts. The sum must be 0. Customer accounts are summed from the account rows. The accounts that
 * belong to no customer (`revenue`, `processor`, `starter`) are summed from the transfers.
 * @param from known sum of the accounts without a customer up to a transfer ID; only later transfers are read
 * @param until transfer ID up to which all transfers are visible
 * @returns `next`, the value of `from` for the next call
 */
export async function sumLedger(
  db: Database,
  from: { id: number; cents: number },
  until: number,
): Promise<{ sum: number; highest: number; next: { id: number; cents: number } }> {
  const isOurs = (account: SQL) =>
    sql`${account} NOT LIKE 'credits:%' AND ${account} NOT LIKE 'debt:%'`
  const ours = sql`CASE WHEN ${isOurs(sql`to_account`)} THEN cents ELSE 0 END
    - CASE WHEN ${isOurs(sql`from_account`)} THEN cents ELSE 0 END`
  const customers = sql`(SELECT coalesce(sum(balance_cents - debt_cents), 0) FROM ${creditAccounts})`
  const [row] = await db
    .select({
      sum: sql`coalesce(sum(${ours}), 0) + ${customers}`.mapWith(Number),
      settled: sql`coalesce(sum(${ours}) FILTER (WHERE id <= ${until}), 0)`.mapWith(Number),
      highest: sql`coalesce(max(id), ${from.id}::bigint)`.mapWith(Number),
    })
    .from(ledgerTransfers)
    .where(sql`id > ${from.id}`)
  if (!row) throw new Error('a sum without a group is one row')
  const next = { id: Math.max(from.id, until), cents: from.cents + row.settled }
  return { sum: from.cents + row.sum, highest: row.highest, next }
}
