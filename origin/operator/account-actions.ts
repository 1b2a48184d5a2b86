/**
 * Actions of an operator on an account. Each writes its audit row in the same transaction, so that neither exists
 * without the other.
 */
import { desc, eq } from 'drizzle-orm'
import { appendEntry } from '../audit-log/append-entry.ts'
import { eraseClientAddresses } from '../audit-log/erase-client-addresses.ts'
import { operatorEntry } from '../audit-log/operator-entry.ts'
import { clawBack, addCredit, type CreditAccount, lockAccount } from '../credits/ledger.ts'
import { requestReturns } from '../credits/lease-rows.ts'
import type { Database, Transaction } from '../db/open.ts'
import { accountEmails, creditAccounts, creditLeases, operatorActions } from '../db/schema.ts'

export type AccountAction = {
  /** Actions with the same ID are performed only once. */
  id: string
  operator: string
  reason: string
  accountHash: string
}

export type ActionTerms = {
  /** The origin's setting. An action on an account that has never used credit grants it these starter credits. */
  starterCents: number
  at: Date
}

/** The action was not performed. The message is for the operator. */
export class OperatorActionError extends Error {
  override readonly name = 'OperatorActionError'
}

export type AccountStatus = {
  balance_cents: number
  debt_cents: number
  suspended_at: string | null
  has_email: boolean
  /** False if the account has never used credit, or does not exist. */
  has_credit_row: boolean
}

export async function accountStatus(db: Database, accountHash: string): Promise<AccountStatus> {
  const [row] = await db
    .select()
    .from(creditAccounts)
    .where(eq(creditAccounts.accountHash, accountHash))
  const emails = await db.$count(accountEmails, eq(accountEmails.accountHash, accountHash))
  return {
    balance_cents: row?.balanceCents ?? 0,
    debt_cents: row?.debtCents ?? 0,
    suspended_at: row?.suspendedAt?.toISOString() ?? null,
    has_email: emails > 0,
    has_credit_row: row !== undefined,
  }
}

/** Refuses the account's runs and writes. Takes effect when processes return their leases, within a second. */
export function suspendAccount(
  db: Database,
  action: AccountAction,
  terms: ActionTerms,
): Promise<void> {
  return perform(db, { ...action, command: 'suspend-account' }, terms, async (tx, account) => {
    if (account.suspendedAt !== null) throw new OperatorActionError('already suspended')
    await setSuspended(tx, account, terms.at)
    await requestReturns(tx, eq(creditLeases.accountHash, account.accountHash))
  })
}

export function resumeAccount(
  db: Database,
  action: AccountAction,
  terms: ActionTerms,
): Promise<void> {
  return perform(db, { ...action, command: 'resume-account' }, terms, async (tx, account) => {
    if (account.suspendedAt === null) throw new OperatorActionError('not suspended')
    await setSuspended(tx, account, null)
  })
}

/**
 * Adds or deducts credit through the ledger. A deduction that exceeds the available credit becomes debt, which is paid
 * when processes return leased credit, or by the next payment.
 * @param cents negative to deduct
 */
export function adjustCredit(
  db: Database,
  action: AccountAction & { cents: number },
  terms: ActionTerms,
): Promise<void> {
  const { id, cents } = action
  return perform(db, { ...action, command: 'adjust-credit' }, terms, async (tx, account) => {
    const transfer = {
      idempotencyKey: `adjustment:${id}`,
      kind: 'adjustment',
      subject: id,
    } as const
    if (cents > 0) await addCredit(tx, account, terms.at, { ...transfer, cents })
    else {
      await clawBack(tx, account, terms.at, { ...transfer, cents: -cents })
      await requestReturns(tx, eq(creditLeases.accountHash, account.accountHash))
    }
  })
}

/**
 * Deletes the account's e-mail address, and the client addresses in its audit log. The ledger's rows and the other
 * members of the log's entries contain no personal data, and stay.
 */
export function eraseAccountEmail(db: Database, action: AccountAction, at: Date): Promise<void> {
  return db.transaction(async (tx) => {
    await record(tx, { ...action, command: 'erase-account-email' }, at)
    await tx.delete(accountEmails).where(eq(accountEmails.accountHash, action.accountHash))
    const entry = operatorEntry({ ...action, command: 'erase-account-email' })
    await eraseClientAddresses(tx, entry, at)
  })
}

/** Newest first. */
export async function listActions(db: Database, limit: number) {
  const rows = await db
    .select()
    .from(operatorActions)
    .orderBy(desc(operatorActions.at), desc(operatorActions.id))
    .limit(limit)
  return rows.map(({ accountHash: account, ...row }) => ({
    ...row,
    account,
    at: row.at.toISOString(),
  }))
}

export type RecordedAction = AccountAction & {
  command: (typeof operatorActions.$inferInsert)['command']
  cents?: number
}

function perform(
  db: Database,
  action: RecordedAction,
  terms: ActionTerms,
  act: (tx: Transaction, account: CreditAccount) => Promise<void>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const account = await lockAccount(tx, action.accountHash, terms)
    await record(tx, action, terms.at)
    await act(tx, account)
    await appendEntry(tx, operatorEntry(action), terms.at)
  })
}

async function record(tx: Transaction, action: RecordedAction, at: Date): Promise<void> {
  const { id, operator, reason, accountHash, command, cents } = action
  const row = { id, operator, reason, accountHash, command, at, cents: cents ?? null }
  const added = await tx.insert(operatorActions).values(row).onConflictDoNothing().returning()
  if (added.length === 0)
    throw new OperatorActionError(`an action with the ID ${id} was performed before`)
}

async function setSuspended(
  tx: Transaction,
  { accountHash }: CreditAccount,
  suspendedAt: Date | null,
): Promise<void> {
  await tx
    .update(creditAccounts)
    .set({ suspendedAt })
    .where(eq(creditAccounts.accountHash, accountHash))
}
