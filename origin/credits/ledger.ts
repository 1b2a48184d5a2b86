import { eq, inArray } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { creditAccounts, ledgerTransfers } from '../db/schema.ts'
import { addUsage } from './usage-days.ts'
import { addCharges } from './window-sums.ts'

/** What a transaction of the database is to those who write in one. */
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** A row of an account's books. */
export type CreditAccount = typeof creditAccounts.$inferSelect

/** What a caller is charged for. */
export type ChargeKind = 'write' | 'execution'

/** Where credit comes from. A reversal gives back what a refund or a dispute had taken. */
export type CreditKind = 'starter' | 'payment' | 'reversal'

/** Why credit that was paid for is taken back. */
export type TakenBackKind = 'refund' | 'dispute'

/** Cents that leave one account of the books for another. */
export type Transfer = {
  /** Under one key a transfer is made once, however often it is posted. */
  idempotencyKey: string
  kind: ChargeKind | CreditKind | TakenBackKind | 'debt'
  from: string
  to: string
  /** At least 1. */
  cents: number
  keyHash?: string
  /** The operation, the CID of the action, or the processor's id of the payment. */
  subject?: string
  /** How many charges were summed; 1 unless said. */
  quantity?: number
}

/** Accounts of the books that are not a customer's: where charges go, and where given credit comes from. */
export const REVENUE = 'revenue'
export const STARTER = 'starter'
/** Money that came in through the payment processor, and went back. */
export const PROCESSOR = 'processor'

/** The account of the books that holds what a customer can spend. */
export function creditsOf(accountHash: string): string {
  return `credits:${accountHash}`
}

/** The account of the books that holds what a customer owes: refunds and disputes of credit that was spent. */
export function debtOf(accountHash: string): string {
  return `debt:${accountHash}`
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
  return addCredit(tx, account, at, {
    idempotencyKey: `starter:${accountHash}`,
    kind: 'starter',
    cents: starterCents,
  })
}

/**
 * Gives an account credit, once under each key, and pays what it owes out of it. The caller holds the account's lock.
 * @returns the account as it is now
 */
export async function addCredit(
  tx: Transaction,
  account: CreditAccount,
  at: Date,
  credit: { idempotencyKey: string; kind: CreditKind; cents: number; subject?: string },
): Promise<CreditAccount> {
  const { accountHash } = account
  const from = credit.kind === 'starter' ? STARTER : PROCESSOR
  const transfer = { ...credit, from, to: creditsOf(accountHash) }
  const balanceCents = await post(tx, accountHash, at, [transfer])
  if (balanceCents === 0) return account
  const credited = await changeAccount(tx, account, { balanceCents })
  return payDebt(tx, credited, at, credit.idempotencyKey)
}

/**
 * Takes credit back, once under each key: out of what no process has leased, and what is missing becomes debt. The
 * caller holds the account's lock.
 * @returns the account as it is now
 */
export async function takeBack(
  tx: Transaction,
  account: CreditAccount,
  at: Date,
  taken: { idempotencyKey: string; kind: TakenBackKind; cents: number; subject: string },
): Promise<CreditAccount> {
  const { accountHash } = account
  const { idempotencyKey, kind, cents, subject } = taken
  const owedKey = `${idempotencyKey}:owed`
  // How it is split depends on the balance: a repeat must not split it again in another way.
  const keys = [idempotencyKey, owedKey]
  const before = await tx
    .select({ id: ledgerTransfers.id })
    .from(ledgerTransfers)
    .where(inArray(ledgerTransfers.idempotencyKey, keys))
  if (before.length > 0) return account
  const paid = Math.min(cents, account.balanceCents - account.leasedCents)
  const owed = cents - paid
  const of = { kind, subject, to: PROCESSOR }
  const both: Transfer[] = [
    { idempotencyKey, from: creditsOf(accountHash), cents: paid, ...of },
    { idempotencyKey: owedKey, from: debtOf(accountHash), cents: owed, ...of },
  ]
  const transfers = both.filter((transfer) => transfer.cents > 0)
  await post(tx, accountHash, at, transfers)
  return changeAccount(tx, account, { balanceCents: -paid, debtCents: owed })
}

/**
 * Pays what an account owes out of credit that no process has leased. The caller holds the account's lock.
 * @param cause what made the credit free, unique: the transfer's key is made of it
 * @returns the account as it is now
 */
export async function payDebt(
  tx: Transaction,
  account: CreditAccount,
  at: Date,
  cause: string,
): Promise<CreditAccount> {
  const { accountHash, balanceCents, leasedCents, debtCents } = account
  const cents = Math.min(debtCents, balanceCents - leasedCents)
  if (cents <= 0) return account
  const idempotencyKey = `debt:${cause}`
  const [from, to] = [creditsOf(accountHash), debtOf(accountHash)]
  const paid = -(await post(tx, accountHash, at, [
    { idempotencyKey, kind: 'debt', from, to, cents },
  ]))
  return changeAccount(tx, account, { balanceCents: -paid, debtCents: -paid })
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
  await addUsage(tx, accountHash, at, added)
  await addCharges(tx, accountHash, at, added)
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
  change: { balanceCents?: number; leasedCents?: number; debtCents?: number },
): Promise<CreditAccount> {
  const balanceCents = account.balanceCents + (change.balanceCents ?? 0)
  const leasedCents = account.leasedCents + (change.leasedCents ?? 0)
  const debtCents = account.debtCents + (change.debtCents ?? 0)
  const sums = { balanceCents, leasedCents, debtCents }
  if (Object.values(change).every((cents) => cents === 0)) return account
  await tx
    .update(creditAccounts)
    .set(sums)
    .where(eq(creditAccounts.accountHash, account.accountHash))
  return { ...account, ...sums }
}

async function lockedRow(tx: Transaction, hash: string): Promise<CreditAccount | undefined> {
  const rows = await tx
    .select()
    .from(creditAccounts)
    .where(eq(creditAccounts.accountHash, hash))
    .for('update')
  return rows[0]
}
