import { and, eq, gt, inArray, ne, notExists, or } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { DAY_MS } from '../../shared/durations.ts'
import type { PaymentProblem } from '../../shared/wire/sealed-key-states.ts'
import type { Database } from '../db/open.ts'
import { payments } from '../db/schema.ts'

/** Ages up to which problems count. An unpaid intent is no longer polled after seven days. */
const DECLINED_MS = 7 * DAY_MS
const DISPUTED_MS = 30 * DAY_MS

/**
 * Returns the accounts that have a disputed payment, or a declined payment that was not followed by a credited one. A
 * dispute takes precedence.
 */
export async function paymentProblems(
  db: Database,
  accountHashes: readonly string[],
  now: number,
): Promise<Map<string, PaymentProblem>> {
  if (accountHashes.length === 0) return new Map()
  const later = alias(payments, 'later')
  const isPaidLater = db
    .select({ intentId: later.intentId })
    .from(later)
    .where(
      and(
        eq(later.accountHash, payments.accountHash),
        eq(later.state, 'credited'),
        gt(later.createdAt, payments.createdAt),
      ),
    )
  const isDisputed = gt(payments.disputedAt, new Date(now - DISPUTED_MS))
  const isDeclined = and(
    gt(payments.declinedAt, new Date(now - DECLINED_MS)),
    ne(payments.state, 'credited'),
    notExists(isPaidLater),
  )
  const rows = await db
    .select({ hash: payments.accountHash, disputedAt: payments.disputedAt })
    .from(payments)
    .where(and(inArray(payments.accountHash, [...accountHashes]), or(isDisputed, isDeclined)))
  const problems = new Map<string, PaymentProblem>()
  for (const { hash, disputedAt } of rows)
    if (disputedAt !== null) problems.set(hash, 'disputed')
    else if (!problems.has(hash)) problems.set(hash, 'declined')
  return problems
}
