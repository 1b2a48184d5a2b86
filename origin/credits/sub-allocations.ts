import { and, eq, inArray, ne, or, gt, sql } from 'drizzle-orm'
import type { Transaction } from '../db/open.ts'
import { leaseParts } from '../db/schema.ts'
import {
  type BudgetTerms,
  type SubAllocationAnswer,
  type SubAllocationOrder,
  leaseDelta,
} from './lease-order.ts'
import { readTerms } from './budget-terms.ts'

type SubAllocationRow = typeof leaseParts.$inferSelect

export type BudgetBook = {
  budget: string
  own: SubAllocationRow | undefined
  others: SubAllocationRow[]
  terms: BudgetTerms
}

type SubAllocation = {
  budget: string
  held: number
  unlimited: boolean
  answered: number
  asked: number
  stays: boolean
}

/** The caller must hold the account's lock and have deleted expired leases. */
export async function readBooks(
  tx: Transaction,
  { accountHash, leaseId }: { accountHash: string; leaseId: string },
  budgets: readonly string[],
  at: Date,
): Promise<Map<string, BudgetBook>> {
  if (budgets.length === 0) return new Map()
  const ofBudgets = and(
    eq(leaseParts.accountHash, accountHash),
    inArray(leaseParts.budget, [...budgets]),
  )
  const rows = await tx.select().from(leaseParts).where(ofBudgets)
  const terms = await readTerms(tx, accountHash, budgets, at)
  const books = new Map<string, BudgetBook>()
  for (const [budget, limits] of terms)
    books.set(budget, { budget, own: undefined, others: [], terms: limits })
  for (const row of rows) {
    const book = books.get(row.budget)
    if (row.leaseId === leaseId && book) book.own = row
    else book?.others.push(row)
  }
  return books
}

/** Returns the maximum charge to a lease: the amount that the lease holds, plus the amount that is not in any lease. */
export function payableAmount({ own, others, terms }: BudgetBook): number {
  // A new limit does not apply, because the charge was reserved while the budget had no limit.
  if (own?.unlimited) return Number.POSITIVE_INFINITY
  const held = own?.held ?? 0
  return held + Math.max(0, terms.limit - terms.used - heldOf(others) - held)
}

/** @param used amount to add to the use of the budget */
export function nextSubAllocation(
  order: SubAllocationOrder,
  { own, others, terms: before }: BudgetBook,
  used: number,
): { part: SubAllocation; terms: BudgetTerms } {
  const { budget, reserved, need, giveBack } = order
  const terms = { ...before, used: before.used + used }
  const asked = own?.asked ?? 0
  const answered = giveBack ? asked : (own?.answered ?? 0)
  // After a cap was set, the process keeps reserving without a limit until it sends an order with `giveBack`. The
  // process reserves nothing while that order is in flight. Only then does `reserved` include all of its reservations.
  const isNotAnswered = own?.unlimited && !giveBack
  if (terms.limit === Number.POSITIVE_INFINITY || isNotAnswered) {
    const stays = need > 0 || reserved > 0 || (own !== undefined && !giveBack)
    return { part: { budget, held: 0, unlimited: true, answered, asked, stays }, terms }
  }
  // Amounts that were reserved while the budget had no limit stay reserved, even if they exceed the new limit.
  const left = own?.unlimited ? reserved : Math.max(0, (own?.held ?? 0) - used)
  // While another process still reserves without a limit, it is unknown how much of a new cap is left for others.
  const isUnknown = others.some(({ unlimited }) => unlimited)
  const available = isUnknown ? 0 : terms.limit - terms.used - heldOf(others) - left
  const held = left + leaseDelta(order, left - reserved, available)
  return { part: { budget, held, unlimited: false, answered, asked, stays: held > 0 }, terms }
}

/**
 * Deletes sub-allocations that are no longer needed. Must run before the lease is deleted, whereas
 * `storeSubAllocations` must run after the lease is stored.
 */
export async function deleteSubAllocations(
  tx: Transaction,
  leaseId: string,
  parts: readonly SubAllocation[],
): Promise<void> {
  const gone = parts.filter(({ stays }) => !stays).map(({ budget }) => budget)
  if (gone.length === 0) return
  await tx
    .delete(leaseParts)
    .where(and(eq(leaseParts.leaseId, leaseId), inArray(leaseParts.budget, gone)))
}

export async function storeSubAllocations(
  tx: Transaction,
  { accountHash, leaseId }: { accountHash: string; leaseId: string },
  parts: readonly SubAllocation[],
): Promise<void> {
  const rows = parts.flatMap(({ stays, ...part }) =>
    stays ? [{ ...part, accountHash, leaseId }] : [],
  )
  if (rows.length === 0) return
  await tx
    .insert(leaseParts)
    .values(rows)
    .onConflictDoUpdate({
      target: [leaseParts.leaseId, leaseParts.budget],
      set: {
        held: sql`excluded.held`,
        unlimited: sql`excluded.unlimited`,
        answered: sql`excluded.answered`,
      },
    })
}

export async function requestSubAllocations(
  tx: Transaction,
  { accountHash, leaseId }: { accountHash: string; leaseId: string },
  budgets: readonly string[],
  books: ReadonlyMap<string, BudgetBook>,
): Promise<void> {
  if (budgets.every((budget) => books.get(budget)?.others.length === 0)) return
  const asked = await tx
    .update(leaseParts)
    .set({ asked: sql`${leaseParts.asked} + 1` })
    .where(
      and(
        eq(leaseParts.accountHash, accountHash),
        inArray(leaseParts.budget, [...budgets]),
        ne(leaseParts.leaseId, leaseId),
        or(gt(leaseParts.held, 0), leaseParts.unlimited),
      ),
    )
    .returning()
  for (const budget of budgets) {
    const book = books.get(budget)
    if (book) book.others = asked.filter((row) => row.budget === budget)
  }
}

export function subAllocationAnswer(
  book: BudgetBook,
  part: SubAllocation | undefined,
  terms: BudgetTerms,
): SubAllocationAnswer {
  const { budget, others } = book
  const held = part?.stays ? part.held : 0
  return {
    budget,
    held: part?.stays && part.unlimited ? Number.POSITIVE_INFINITY : held,
    available: terms.limit - terms.used - heldOf(others) - held,
    others: others.map((row) => ({ ...row, id: row.leaseId })),
    terms,
  }
}

export function repeatAnswer(book: BudgetBook): SubAllocationAnswer {
  return subAllocationAnswer(book, book.own && { ...book.own, stays: true }, book.terms)
}

function heldOf(rows: readonly SubAllocationRow[]): number {
  return rows.reduce((sum, { held }) => sum + held, 0)
}
