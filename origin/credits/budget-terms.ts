import { and, eq, inArray } from 'drizzle-orm'
import {
  EXECUTION_SECOND_CENTS,
  FAILED_EXECUTION_MS,
  FAILED_EXECUTION_PAIRS,
  FAILED_EXECUTION_WINDOW_MS,
} from '../../shared/limits.ts'
import type { Transaction } from '../db/open.ts'
import { spendCaps } from '../db/schema.ts'
import {
  ACCOUNT_FAILURES,
  failedSeries,
  capKeyHash,
  allowancePaidSeries,
  spentSeries,
} from './budget-names.ts'
import type { BudgetTerms } from './lease-order.ts'
import { readSums, type WindowSum } from './window-sums.ts'

/** The caller must hold the account's lock. */
export async function readTerms(
  tx: Transaction,
  accountHash: string,
  budgets: readonly string[],
  at: Date,
): Promise<Map<string, BudgetTerms>> {
  const keys = budgets.flatMap((budget) => capKeyHash(budget) ?? [])
  const ofKeys = and(eq(spendCaps.accountHash, accountHash), inArray(spendCaps.keyHash, keys))
  const caps = keys.length === 0 ? [] : await tx.select().from(spendCaps).where(ofKeys)
  const capped = new Map(caps.map((cap) => [cap.keyHash, cap]))
  const series = budgets.flatMap((budget) => {
    const keyHash = capKeyHash(budget)
    if (keyHash === undefined) return [failedSeries(budget), allowancePaidSeries(budget)]
    return capped.has(keyHash) ? [spentSeries(keyHash)] : []
  })
  const sums = await readSums(tx, accountHash, [...new Set(series)], at)
  return new Map(
    budgets.map((budget) => {
      const keyHash = capKeyHash(budget)
      return [
        budget,
        keyHash === undefined
          ? allowanceTerms(budget, sums)
          : capTerms(capped.get(keyHash), sums.get(spentSeries(keyHash))),
      ]
    }),
  )
}

function capTerms(
  cap: typeof spendCaps.$inferSelect | undefined,
  spent: WindowSum | undefined,
): BudgetTerms {
  return {
    limit: cap?.capCents ?? Number.POSITIVE_INFINITY,
    used: spent?.amount ?? 0,
    windowSeconds: cap?.windowSeconds ?? 0,
    nextLeavesAt: spent?.nextLeavesAt,
  }
}

/** The limit is the execution time that was paid for, plus a free allowance. */
function allowanceTerms(budget: string, sums: ReadonlyMap<string, WindowSum>): BudgetTerms {
  const pairs = budget === ACCOUNT_FAILURES ? FAILED_EXECUTION_PAIRS : 1
  const paidCents = sums.get(allowancePaidSeries(budget))?.amount ?? 0
  const failed = sums.get(failedSeries(budget))
  return {
    limit: pairs * FAILED_EXECUTION_MS + (paidCents / EXECUTION_SECOND_CENTS) * 1000,
    used: failed?.amount ?? 0,
    windowSeconds: FAILED_EXECUTION_WINDOW_MS / 1000,
    nextLeavesAt: failed?.nextLeavesAt,
  }
}
