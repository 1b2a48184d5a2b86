import { eq } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { creditAccounts, ledgerTransfers } from '../db/schema.ts'

/** What a transaction of the database is to those who write in one. */
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** A row of an account's books. */
export type CreditAccount = typeof creditAccounts.$inferSelect

/** What a caller is charged for. */
export type ChargeKind = 'write' | 'execution'

/** Cents that leave one account of the books for another. */
export type Transfer = {
  /** Under one key a transfer is made once, however often it is posted. */
  idempotencyKey: string
  kind: ChargeKind | 'starter'
  from: string
  to: string
  /** At least 1. */
  cents: number
  keyHash?: string
  /** The operation, or the CID of the action. */
  subject?: string
  /** How many charges were summed; 1 unless said. */
  quantity?: number
}

/** Accounts of the books that are not a customer's: where charges go, and where given credit comes from. */
export const REVENUE = 'revenue'
export const STARTER = 'starter'

/** The account of the books that holds what a customer can spend. */
export function creditsOf(accountHash: string): string {
  return `credits:${accountHash}`
}

/**
 * An account's row, locked until the transaction ends: whatever changes its balance or its leases holds this lock.
 * The first call for an account makes the row and grants its starter credits, once for ever.
 */
export async function lockAccount(
  tx: Transaction,
  accountHash: string,
  { starterCents, at }: { starterCents: number; at: Date },
): Promise<CreditAccount> {
  const found = await lockedRow(tx, accountHash)
  if (found) return found
  const made = await tx
    .insert(creditAccounts)
    .values({ accountHash, balanceCents: 0, leasedCents: 0, debtCents: 0, openedAt: at })
    .onConflictDoNothing()
    .returning()
  const account = made[0] ?? (await lockedRow(tx, accountHash))
  if (!account) throw new Error('an account was neither made nor found')
  if (made.length === 0 || starterCents === 0) return account
  const granted = await post(tx, accountHash, at, [
    {
      idempotencyKey: `starter:${accountHash}`,
      kind: 'starter',
      from: STARTER,
      to: creditsOf(accountHash),
      cents: starterCents,
    },
  ])
  return changeAccount(tx, account, { balanceCents: granted })
}

/**
 * Adds transfers to an account's statement. The caller holds the account's lock, and changes its row by the result.
 * @returns by how much the account's credit changed: transfers that were posted before do not count
 */
export async function post(
  tx: Transaction,
  accountHash: string,
  at: Date,
  transfers: readonly Transfer[],
): Promise<number> {
  if (transfers.length === 0) return 0
  const rows = transfers.map(({ from, to, quantity = 1, ...rest }) => ({
    ...rest,
    fromAccount: from,
    toAccount: to,
    quantity,
    accountHash,
    createdAt: at,
  }))
  const added = await tx.insert(ledgerTransfers).values(rows).onConflictDoNothing().returning()
  const credits = creditsOf(accountHash)
  return added.reduce((sum, { fromAccount, toAccount, cents }) => {
    return sum + (toAccount === credits ? cents : 0) - (fromAccount === credits ? cents : 0)
  }, 0)
}

/**
 * Changes an account's sums in one statement, since its constraints tie them together.
 * @throws {Error} by the database when the balance would not cover what is leased
 */
export async function changeAccount(
  tx: Transaction,
  account: CreditAccount,
  change: { balanceCents?: number; leasedCents?: number },
): Promise<CreditAccount> {
  const balanceCents = account.balanceCents + (change.balanceCents ?? 0)
  const leasedCents = account.leasedCents + (change.leasedCents ?? 0)
  if (balanceCents === account.balanceCents && leasedCents === account.leasedCents) return account
  await tx
    .update(creditAccounts)
    .set({ balanceCents, leasedCents })
    .where(eq(creditAccounts.accountHash, account.accountHash))
  return { ...account, balanceCents, leasedCents }
}

async function lockedRow(tx: Transaction, hash: string): Promise<CreditAccount | undefined> {
  const rows = await tx
    .select()
    .from(creditAccounts)
    .where(eq(creditAccounts.accountHash, hash))
    .for('update')
  return rows[0]
}
