import { eq, inArray } from 'drizzle-orm'
import { logCredit } from '../audit-log/credit-entries.ts'
import type { Transaction } from '../db/open.ts'
import { creditAccounts, ledgerTransfers } from '../db/schema.ts'
import { addUsage } from './usage.ts'
import { addCharges } from './window-sums.ts'

export type CreditAccount = typeof creditAccounts.$inferSelect

export type ChargeKind = 'write' | 'execution'

/**
 * A `reversal` restores credit that was deducted for a refund or dispute. An operator makes an `adjustment`, which adds
 * or deducts credit.
 */
type CreditKind = 'starter' | 'payment' | 'reversal' | 'adjustment'

export type ClawbackKind = 'refund' | 'dispute' | 'adjustment'

type Transfer = {
  /** Posting another transfer with the same key has no effect. */
  idempotencyKey: string
  kind: ChargeKind | CreditKind | ClawbackKind | 'debt'
  from: string
  to: string
  /** Amount in cents, at least 1. */
  cents: number
  keyHash?: string
  /** Subject of the transfer: name of the operation, CID of the action, or the processor's ID of the payment. */
  subject?: string
  /**
   * Number of charges combined in this transfer.
   * @default 1
   */
  quantity?: number
}

/** Ledger accounts that belong to no customer. Charges go to `revenue`; starter credits come from `starter`. */
export const REVENUE = 'revenue'
const STARTER = 'starter'
const OPERATOR = 'operator'
export const PROCESSOR = 'processor'

/** Ledger account from which credit of each kind comes, and to which it is deducted. */
const SOURCES: Record<CreditKind | ClawbackKind, string> = {
  starter: STARTER,
  payment: PROCESSOR,
  reversal: PROCESSOR,
  refund: PROCESSOR,
  dispute: PROCESSOR,
  adjustment: OPERATOR,
}

export function creditsLedgerAccount(accountHash: string): string {
  return `credits:${accountHash}`
}

/** Debt results from refunds and disputes of credit that was already spent. */
export function debtLedgerAccount(accountHash: string): string {
  return `debt:${accountHash}`
}

/**
 * Locks the account's row until the transaction ends. Every change to the balance or leases requires this lock. The
 * first call for an account creates the row and grants the starter credits exactly once.
 */
export async function lockAccount(
  tx: Transaction,
  accountHash: string,
  { starterCents, at }: { starterCents: number; at: Date },
): Promise<CreditAccount> {
  const found = await lockRow(tx, accountHash)
  if (found) return found
  const made = await tx
    .insert(creditAccounts)
    .values({ accountHash, balanceCents: 0, leasedCents: 0, debtCents: 0, openedAt: at })
    .onConflictDoNothing()
    .returning()
  const account = made[0] ?? (await lockRow(tx, accountHash))
  if (!account) throw new Error('an account was neither created nor found')
  if (made.length === 0 || starterCents === 0) return account
  return addCredit(tx, account, at, {
    idempotencyKey: `starter:${accountHash}`,
    kind: 'starter',
    cents: starterCents,
  })
}

/**
 * Adds credit to an account, once per idempotency key, and pays the account's debt from the added credit. The caller
 * must hold the account's lock.
 */
export async function addCredit(
  tx: Transaction,
  account: CreditAccount,
  at: Date,
  credit: { idempotencyKey: string; kind: CreditKind; cents: number; subject?: string },
): Promise<CreditAccount> {
  const { accountHash } = account
  const transfer = { ...credit, from: SOURCES[credit.kind], to: creditsLedgerAccount(accountHash) }
  const balanceCents = await postTransfers(tx, accountHash, at, [transfer])
  if (balanceCents === 0) return account
  await logCredit(tx, { accountHash, ...credit }, at)
  const credited = await changeAccount(tx, account, { balanceCents })
  return payDebt(tx, credited, at, credit.idempotencyKey)
}

/**
 * Deducts an amount, such as a refund, from credit that is not leased, once per idempotency key. The amount that is
 * not covered becomes debt. The caller must hold the account's lock.
 */
export async function clawBack(
  tx: Transaction,
  account: CreditAccount,
  at: Date,
  deduction: { idempotencyKey: string; kind: ClawbackKind; cents: number; subject: string },
): Promise<CreditAccount> {
  const { accountHash } = account
  const { idempotencyKey, kind, cents, subject } = deduction
  const debtKey = `${idempotencyKey}:owed`
  // The split between credit and debt depends on the balance, so a repeated operation could split the amount
  // differently. An operation that was posted before is therefore skipped.
  const keys = [idempotencyKey, debtKey]
  const before = await tx
    .select({ id: ledgerTransfers.id })
    .from(ledgerTransfers)
    .where(inArray(ledgerTransfers.idempotencyKey, keys))
  if (before.length > 0) return account
  const paid = Math.min(cents, account.balanceCents - account.leasedCents)
  const unpaidCents = cents - paid
  const of = { kind, subject, to: SOURCES[kind] }
  const both: Transfer[] = [
    { idempotencyKey, from: creditsLedgerAccount(accountHash), cents: paid, ...of },
    { idempotencyKey: debtKey, from: debtLedgerAccount(accountHash), cents: unpaidCents, ...of },
  ]
  const transfers = both.filter((transfer) => transfer.cents > 0)
  await postTransfers(tx, accountHash, at, transfers)
  await logCredit(tx, { accountHash, ...deduction }, at)
  return changeAccount(tx, account, { balanceCents: -paid, debtCents: unpaidCents })
}

/**
 * Pays an account's debt from credit that is not leased. The caller must hold the account's lock.
 * @param cause unique name for the source of the credit, used in the transfer's idempotency key
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
  const [from, to] = [creditsLedgerAccount(accountHash), debtLedgerAccount(accountHash)]
  const paid = -(await postTransfers(tx, accountHash, at, [
    { idempotencyKey, kind: 'debt', from, to, cents },
  ]))
  return changeAccount(tx, account, { balanceCents: -paid, debtCents: -paid })
}

/**
 * Posts the transfers that were not posted before. The caller must hold the account's lock, and must apply the result
 * to the account's row.
 * @returns the change in the account's credit in cents, excluding transfers that were posted before
 */
export async function postTransfers(
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
  const credits = creditsLedgerAccount(accountHash)
  return added.reduce((sum, { fromAccount, toAccount, cents }) => {
    return sum + (toAccount === credits ? cents : 0) - (fromAccount === credits ? cents : 0)
  }, 0)
}

/**
 * Changes the amounts in an account's row. Uses one statement, because database constraints relate the amounts to each
 * other.
 * @throws {Error} if the balance would not cover the leased credit
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

/** @returns undefined if the account's credit was never used */
export async function lockRow(tx: Transaction, hash: string): Promise<CreditAccount | undefined> {
  const rows = await tx
    .select()
    .from(creditAccounts)
    .where(eq(creditAccounts.accountHash, hash))
    .for('update')
  return rows[0]
}
