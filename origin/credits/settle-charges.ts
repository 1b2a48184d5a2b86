import { sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/open.ts'
import { ACCOUNT_PAID, capBudgetName, paidSeries } from './budget-names.ts'
import type { LeaseAnswer, LeaseOrder, LeaseTerms } from './lease-order.ts'
import { creditsLedgerAccount, postTransfers, REVENUE } from './ledger.ts'
import { type BudgetBook, payableAmount } from './sub-allocations.ts'
import { usageUpsert } from './usage.ts'
import { windowSumUpsert, hourlyRows } from './window-sums.ts'

/** A repeated order has the same keys, so nothing is charged twice. */
function chargeKey({ leaseId, sequence }: ChargeOrder, index: number): string {
  return `charge:${leaseId}:${sequence}:${index}`
}

type ChargeOrder = Pick<LeaseOrder, 'accountHash' | 'leaseId' | 'sequence' | 'charges'>

type ChargeSettlement = {
  cents: number
  byKey: ReadonlyMap<string, number>
  /** Cents that the lease, the available credit and the spending caps did not cover. */
  unpaidCents: number
}

/** Posts charges to the ledger, up to the amount that the lease, the available credit and the spending caps cover. */
export async function settleCharges(
  tx: Transaction,
  order: ChargeOrder,
  at: Date,
  limits: { payable: number; books: ReadonlyMap<string, BudgetBook> },
): Promise<ChargeSettlement> {
  let { payable } = limits
  let unpaidCents = 0
  const byKey = new Map<string, number>()
  const transfers = order.charges.flatMap((charge, index) => {
    const { keyHash } = charge
    const book = limits.books.get(capBudgetName(keyHash))
    const before = byKey.get(keyHash) ?? 0
    const underCap = book ? payableAmount(book) - before : Number.POSITIVE_INFINITY
    const cents = Math.min(charge.cents, payable, underCap)
    payable -= cents
    unpaidCents += charge.cents - cents
    if (cents === 0) return []
    byKey.set(keyHash, before + cents)
    const from = creditsLedgerAccount(order.accountHash)
    return [{ ...charge, idempotencyKey: chargeKey(order, index), from, to: REVENUE, cents }]
  })
  const cents = -(await postTransfers(tx, order.accountHash, at, transfers))
  return { cents, byKey, unpaidCents }
}

export function isSettlementOnly({ charges, credit, parts }: LeaseOrder): boolean {
  return charges.length > 0 && parts.length === 0 && credit.need === 0 && !credit.giveBack
}

/**
 * Settles an order in a single statement, whereas `executeInTransaction` needs ten.
 * @returns undefined if nothing was changed and the full transaction must handle the order: it was applied before, the
 * lease does not exist or does not cover the charges, the account has debt or is suspended, or a key has a spending cap
 */
export async function settleFast(
  db: Database,
  order: LeaseOrder,
  { at, expiresAt }: LeaseTerms,
): Promise<LeaseAnswer | undefined> {
  const { accountHash, leaseId, sequence, charges, credit } = order
  const spent = charges.reduce((sum, { cents }) => sum + cents, 0)
  const rows = sql.join(
    charges.map(
      ({ kind, keyHash, subject, cents, quantity }, index) =>
        sql`(${chargeKey(order, index)}::text, ${kind}::text, ${keyHash}::text, ${subject}::text, ${cents}::bigint, ${quantity}::int)`,
    ),
    sql`, `,
  )
  const [now, until] = [at.toISOString(), expiresAt.toISOString()]
  const caps = [...new Set(charges.map(({ keyHash }) => capBudgetName(keyHash)))]
  // If `lease` matches no row, no change is made. The account is locked first, as in all other transactions. Rows that
  // are only read are seen as of the start of the statement, although the previous holder of the lock may have changed
  // them. PostgreSQL re-reads rows that it locks, so the sub-allocations, which announce a new spending cap, are locked
  // too.
  const answer = await db.execute(sql`
    WITH account AS (
      SELECT account_hash, debt_cents, suspended_at FROM credit_accounts WHERE account_hash = ${accountHash} FOR UPDATE
    ), uncapped AS (
      SELECT p.budget FROM lease_parts p, account
      WHERE p.lease_id = ${leaseId} AND p.budget IN ${caps} AND p.unlimited AND p.asked = p.answered
      FOR UPDATE OF p
    ), lease AS (
      UPDATE credit_leases l
      SET cents = l.cents - ${spent}::bigint, reserved_cents = ${credit.reserved}::bigint,
        sequence = ${sequence}::int, expires_at = ${until}::timestamptz
      FROM account
      WHERE l.id = ${leaseId} AND l.account_hash = account.account_hash AND l.sequence < ${sequence}::int
        AND l.cents >= ${spent}::bigint + ${credit.reserved}::bigint AND account.debt_cents = 0
        AND account.suspended_at IS NULL
        AND (SELECT count(*) FROM uncapped) = ${caps.length}::int
      RETURNING l.cents
    ), charge (idempotency_key, kind, key_hash, subject, cents, quantity) AS (
      SELECT v.* FROM (VALUES ${rows}) v CROSS JOIN lease
    ), posted AS (
      INSERT INTO ledger_transfers
        (idempotency_key, kind, from_account, to_account, cents, account_hash, key_hash, subject, quantity, created_at)
      SELECT idempotency_key, kind, ${creditsLedgerAccount(accountHash)}, ${REVENUE}, cents, ${accountHash}, key_hash, subject,
        quantity, ${now}::timestamptz
      FROM charge
    ), used AS (
      ${usageUpsert(accountHash, at, sql`SELECT kind, key_hash, subject, cents, quantity FROM charge`)}
    ), summed AS (
      ${windowSumUpsert(
        accountHash,
        at,
        hourlyRows(sql`
          SELECT ${paidSeries('')} || key_hash, sum(cents) FROM charge WHERE kind = 'execution' GROUP BY key_hash
          UNION ALL SELECT ${ACCOUNT_PAID}, sum(cents) FROM charge WHERE kind = 'execution' HAVING count(*) > 0`),
      )}
    ), changed AS (
      UPDATE credit_accounts c
      SET balance_cents = c.balance_cents - ${spent}::bigint, leased_cents = c.leased_cents - ${spent}::bigint
      FROM lease WHERE c.account_hash = ${accountHash}
      RETURNING c.balance_cents, c.leased_cents
    )
    SELECT lease.cents AS held, changed.balance_cents, changed.leased_cents,
      (SELECT coalesce(sum(reserved_cents), 0) FROM credit_leases
        WHERE account_hash = ${accountHash} AND id <> ${leaseId}) AS elsewhere
    FROM lease, changed`)
  const [row] = (answer as { rows: Record<Column, unknown>[] }).rows
  if (!row) return undefined
  const balanceCents = Number(row.balance_cents)
  return {
    credit: {
      held: Number(row.held),
      available: balanceCents - Number(row.leased_cents),
      others: [],
    },
    parts: [],
    balanceCents,
    debtCents: 0,
    isSuspended: false,
    reservedElsewhereCents: Number(row.elsewhere),
    unpaidCents: 0,
    isNew: false,
    isStored: true,
  }
}

type Column = 'held' | 'balance_cents' | 'leased_cents' | 'elsewhere'
