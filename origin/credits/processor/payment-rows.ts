/** The outcomes of payments are in the ledger. */
import { and, eq, gt, ne, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/open.ts'
import { payments, processorCustomers } from '../../db/schema.ts'

export type PaymentRow = typeof payments.$inferSelect

export async function findPayment(
  db: Database | Transaction,
  intentId: string,
): Promise<PaymentRow | undefined> {
  const rows = await db.select().from(payments).where(eq(payments.intentId, intentId))
  return rows[0]
}

export type PaymentTroubles = Pick<PaymentRow, 'declinedAt' | 'disputedAt'>

/** No effect if the payment is already recorded. */
export async function recordPayment(
  db: Database | Transaction,
  payment: {
    intentId: string
    accountHash: string
    usageKeyHash?: string | undefined
    amountCents: number
    at: Date
    lookAt: Date
  },
): Promise<void> {
  const { at: createdAt, ...row } = payment
  await db
    .insert(payments)
    .values({ ...row, state: 'open', createdAt, looks: 0 })
    .onConflictDoNothing()
}

/** A credited payment stays credited, even if the update is based on an older poll. */
export async function recordProgress(
  db: Database | Transaction,
  intentId: string,
  progress: Pick<PaymentRow, 'state' | 'lookAt'> & Partial<PaymentTroubles>,
): Promise<void> {
  const isForward = progress.state === 'credited' ? undefined : ne(payments.state, 'credited')
  await db
    .update(payments)
    .set(progress)
    .where(and(eq(payments.intentId, intentId), isForward))
}

export async function countUnpaid(
  db: Database,
  { accountHash, usageKeyHash }: { accountHash: string; usageKeyHash?: string | undefined },
  since: Date,
): Promise<{ account: number; usageKeys: number; usageKey: number }> {
  const ofKey = sql`${payments.usageKeyHash} = ${usageKeyHash ?? ''}`
  const [counts] = await db
    .select({
      account: sql<number>`count(*)::int`,
      usageKeys: sql<number>`count(${payments.usageKeyHash})::int`,
      usageKey: sql<number>`(count(*) filter (where ${ofKey}))::int`,
    })
    .from(payments)
    .where(
      and(
        eq(payments.accountHash, accountHash),
        gt(payments.createdAt, since),
        ne(payments.state, 'credited'),
      ),
    )
  return counts!
}

/**
 * Claims due payments, so that no other process polls them before `againAt`. If this process exits before it polls
 * them, they are due again at that time.
 */
export async function claimDue(
  db: Database,
  { at, againAt, most }: { at: Date; againAt: Date; most: number },
): Promise<PaymentRow[]> {
  // The subquery is an array, so that PostgreSQL evaluates it only once, whatever query plan it chooses.
  const due = sql`array(
    select ${payments.intentId} from ${payments} where ${payments.lookAt} <= ${at.toISOString()}::timestamptz
    order by ${payments.lookAt} limit ${most} for update skip locked
  )`
  return db
    .update(payments)
    .set({ lookAt: againAt, looks: sql`${payments.looks} + 1` })
    .where(sql`${payments.intentId} = any(${due})`)
    .returning()
}

export async function findCustomer(db: Database, accountHash: string): Promise<string | undefined> {
  const rows = await db
    .select({ customerId: processorCustomers.customerId })
    .from(processorCustomers)
    .where(eq(processorCustomers.accountHash, accountHash))
  return rows[0]?.customerId
}

/**
 * Replaces an existing record only if its customer is `previousId`.
 * @returns the ID of the recorded customer
 */
export async function recordCustomer(
  db: Database,
  { accountHash, customerId, at }: { accountHash: string; customerId: string; at: Date },
  previousId?: string,
): Promise<string> {
  await db
    .insert(processorCustomers)
    .values({ accountHash, customerId, createdAt: at })
    .onConflictDoNothing()
  if (previousId !== undefined)
    await db
      .update(processorCustomers)
      .set({ customerId, createdAt: at })
      .where(
        and(
          eq(processorCustomers.accountHash, accountHash),
          eq(processorCustomers.customerId, previousId),
        ),
      )
  return (await findCustomer(db, accountHash)) ?? customerId
}
