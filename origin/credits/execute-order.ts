import { and, eq, inArray, lt, ne, notExists, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/open.ts'
import { creditLeases, leaseParts } from '../db/schema.ts'
import { capBudgetName, capKeyHash } from './budget-names.ts'
import { leaseDelta, type LeaseAnswer, type LeaseOrder, type LeaseTerms } from './lease-order.ts'
import { closeLeases, type LeaseRow, requestReturns } from './lease-rows.ts'
import { changeAccount, type CreditAccount, lockAccount, payDebt } from './ledger.ts'
import { isSettlementOnly, settleCharges, settleFast } from './settle-charges.ts'
import {
  subAllocationAnswer,
  requestSubAllocations,
  type BudgetBook,
  deleteSubAllocations,
  nextSubAllocation,
  readBooks,
  repeatAnswer,
  storeSubAllocations,
} from './sub-allocations.ts'
import { addFailures } from './window-sums.ts'

/**
 * Applies a timeout to a database operation.
 * @throws {CreditsUnavailableError} if the operation fails for any reason
 */
export type FromLedger = <Answer>(operation: Promise<Answer>) => Promise<Answer>

/**
 * If the order only settles charges, tries a single statement before the full transaction.
 * @throws {CreditsUnavailableError} if it is unknown whether the order was applied
 */
export async function executeOrder(
  db: Database,
  order: LeaseOrder,
  terms: LeaseTerms,
  fromLedger: FromLedger,
): Promise<LeaseAnswer> {
  const settled = isSettlementOnly(order)
    ? await fromLedger(settleFast(db, order, terms))
    : undefined
  return settled ?? fromLedger(db.transaction((tx) => executeInTransaction(tx, order, terms)))
}

/** Idempotent: if the order was applied before, returns the current state. */
export async function executeInTransaction(
  tx: Transaction,
  order: LeaseOrder,
  terms: LeaseTerms,
): Promise<LeaseAnswer> {
  const locked = await lockAccount(tx, order.accountHash, terms)
  const { account, own, others } = await readLeases(tx, locked, order.leaseId, terms.at)
  const books = await readBooks(tx, order, affectedBudgets(order, own), terms.at)
  if (own && own.sequence >= order.sequence) {
    // Extends the lease, because the process may use it after this answer as if the order had been applied now.
    await tx
      .update(creditLeases)
      .set({
        expiresAt: sql`greatest(${creditLeases.expiresAt}, ${terms.expiresAt.toISOString()}::timestamptz)`,
      })
      .where(eq(creditLeases.id, order.leaseId))
    const parts = order.parts.flatMap(({ budget }) => repeatAnswer(books.get(budget)!))
    return leaseAnswer(account, others, {
      held: own.cents,
      parts,
      unpaidCents: 0,
      isNew: false,
      isStored: true,
    })
  }
  return applyOrder(tx, order, terms, { account, own, others, books })
}

/**
 * Returns the names of the budgets that an order affects. If the lease has expired, they include the spending caps of
 * the charged keys, because the charges must be checked against the caps again.
 */
function affectedBudgets({ parts, charges }: LeaseOrder, own: LeaseRow | undefined): string[] {
  const again = own ? [] : charges.map(({ keyHash }) => capBudgetName(keyHash))
  return [...new Set([...parts.map(({ budget }) => budget), ...again])]
}

type LeaseState = {
  account: CreditAccount
  own: LeaseRow | undefined
  others: LeaseRow[]
  books: Map<string, BudgetBook>
}

async function applyOrder(
  tx: Transaction,
  received: LeaseOrder,
  terms: LeaseTerms,
  { account, own, others, books }: LeaseState,
): Promise<LeaseAnswer> {
  const order = account.suspendedAt === null ? received : withoutNewCredit(received)
  const before = own?.cents ?? 0
  const payable = before + account.balanceCents - account.leasedCents
  const settled = await settleCharges(tx, order, terms.at, { payable, books })
  const failures = new Map(
    order.parts.flatMap(({ budget, used }) => (used > 0 ? [[budget, used] as const] : [])),
  )
  await addFailures(tx, order.accountHash, terms.at, failures)
  // An expired lease covers no charges. Uncovered charges are paid from the available credit as far as possible.
  const covered = Math.min(settled.cents, before)
  const left = before - covered
  const free = account.balanceCents - account.leasedCents - (settled.cents - covered)
  // Debt must be paid before credit is leased.
  const available = Math.max(0, free - account.debtCents)
  const held = left + leaseDelta(order.credit, left - order.credit.reserved, available)

  const next = order.parts.map((part) => {
    const book = books.get(part.budget)!
    const keyHash = capKeyHash(part.budget)
    const used = keyHash === undefined ? part.used : (settled.byKey.get(keyHash) ?? 0)
    return { order: part, book, ...nextSubAllocation(part, book, used) }
  })
  const parts = next.map(({ part }) => part)
  await deleteSubAllocations(tx, order.leaseId, parts)
  // A lease that has counted failures keeps its row with the sequence number. Otherwise, a repeated order would count
  // the failures again.
  const isDeletable = failures.size === 0 && !parts.some(({ stays }) => stays)
  const isStored = await storeLease(tx, order, terms, { own, held, isDeletable })
  await storeSubAllocations(tx, order, parts)

  const change = { balanceCents: -settled.cents, leasedCents: held - before }
  const changed = await changeAccount(tx, account, change)
  // Pays debt from the returned credit, because a debt from a refund may remain unpaid until processes return credit.
  const cause = `${order.leaseId}:${order.sequence}`
  const paid = await payDebt(tx, changed, terms.at, cause)

  const { reserved, need, ask } = order.credit
  const isUnmet = ask && held - reserved < need && others.length > 0
  const otherIds = others.map(({ id }) => id)
  const asked = isUnmet ? await requestReturns(tx, inArray(creditLeases.id, otherIds)) : others
  const unmet = next.filter(
    ({ order: { ask: asks, reserved: open, need: more }, part }) =>
      asks && !part.unlimited && part.held - open < more,
  )
  const unmetBudgets = unmet.map(({ part }) => part.budget)
  await requestSubAllocations(tx, order, unmetBudgets, books)
  return leaseAnswer(paid, asked, {
    held,
    parts: next.map(({ book, part, terms: after }) => subAllocationAnswer(book, part, after)),
    unpaidCents: settled.unpaidCents,
    isNew: own === undefined,
    isStored,
  })
}

/** The order of a suspended account: settles its charges, keeps its reservations, and returns all other credit. */
function withoutNewCredit(order: LeaseOrder): LeaseOrder {
  const credit = { ...order.credit, need: 0, extra: 0, ask: false, giveBack: true }
  return { ...order, credit }
}

function leaseAnswer(
  { balanceCents, leasedCents, debtCents, suspendedAt }: CreditAccount,
  others: readonly LeaseRow[],
  {
    held,
    ...rest
  }: { held: number } & Pick<LeaseAnswer, 'parts' | 'unpaidCents' | 'isNew' | 'isStored'>,
): LeaseAnswer {
  const elsewhere = others.map(({ id, cents, reservedCents, asked, answered }) => ({
    id,
    held: cents,
    reserved: reservedCents,
    asked,
    answered,
  }))
  const isSuspended = suspendedAt !== null
  return {
    credit: isSuspended
      ? { held, available: 0, others: [] }
      : { held, available: balanceCents - leasedCents, others: elsewhere },
    balanceCents,
    debtCents,
    isSuspended,
    reservedElsewhereCents: others.reduce((sum, { reservedCents }) => sum + reservedCents, 0),
    ...rest,
  }
}

/** @returns true if the lease is in the database afterwards */
async function storeLease(
  tx: Transaction,
  order: LeaseOrder,
  { processId, expiresAt }: LeaseTerms,
  { own, held, isDeletable }: { own: LeaseRow | undefined; held: number; isDeletable: boolean },
): Promise<boolean> {
  const { leaseId: id, accountHash, sequence, credit } = order
  const ofLease = eq(creditLeases.id, id)
  if (isDeletable && held === 0 && credit.reserved === 0) {
    if (!own) return false
    const parts = tx.select().from(leaseParts).where(eq(leaseParts.leaseId, id))
    const gone = await tx
      .delete(creditLeases)
      .where(and(ofLease, notExists(parts)))
      .returning()
    if (gone.length > 0) return false
  }
  const lease = { cents: held, reservedCents: credit.reserved, sequence, expiresAt }
  const answered = credit.giveBack ? (own?.asked ?? 0) : (own?.answered ?? 0)
  if (own)
    await tx
      .update(creditLeases)
      .set({ ...lease, answered })
      .where(ofLease)
  else
    await tx
      .insert(creditLeases)
      .values({ ...lease, id, accountHash, processId, asked: 0, answered: 0 })
  return true
}

/** Reads the account's leases, and returns the credit of other processes' expired leases to the account. */
async function readLeases(
  tx: Transaction,
  account: CreditAccount,
  ownId: string,
  at: Date,
): Promise<{ account: CreditAccount; own: LeaseRow | undefined; others: LeaseRow[] }> {
  const ofAccount = eq(creditLeases.accountHash, account.accountHash)
  const rows = await tx.select().from(creditLeases).where(ofAccount)
  const own = rows.find(({ id }) => id === ownId)
  const others = rows.filter(({ id }) => id !== ownId)
  if (!others.some(({ expiresAt }) => expiresAt < at)) return { account, own, others }
  // Repeats the expiry condition, because a process may have renewed its lease since the lease was read.
  const expired = and(ne(creditLeases.id, ownId), lt(creditLeases.expiresAt, at))
  const { account: freed, closed } = await closeLeases(tx, account, expired, at)
  const gone = new Set(closed.map(({ id }) => id))
  return { account: freed, own, others: others.filter(({ id }) => !gone.has(id)) }
}
