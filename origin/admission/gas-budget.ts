import { and, eq, lt, ne, sql } from 'drizzle-orm'
import { DAY_MS } from '../../shared/durations.ts'
import type { Database } from '../db/open.ts'
import { gasBudgets } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import { LimitExceededError } from './call-rate.ts'

type GasBudgetOptions = {
  db: Database
  now: () => number
  /** Name of the budget, which is the primary key of its database row. */
  name: string
  /** Operations for which the budget pays, named in error messages. */
  what: string
  perDayWei: bigint
}

/**
 * Daily budget for gas that this deployment pays for other parties. The cost is known only from the receipt, so each
 * transaction reserves the cost of the previous one. If a transaction has no receipt, the reserved amount remains
 * counted as spent.
 */
export class GasBudget {
  readonly #options: GasBudgetOptions

  constructor(options: GasBudgetOptions) {
    this.#options = options
  }

  /**
   * @returns the reserved amount in wei
   * @throws {LimitExceededError | DatabaseUnavailableError}
   */
  async reserve(): Promise<bigint> {
    const { db, now, name, what, perDayWei } = this.#options
    const at = now()
    const day = new Date(at).toISOString().slice(0, 10)
    // Another process, whose clock is ahead, may already have moved the budget to the next day.
    const spent = sql`case when ${gasBudgets.day} >= ${day}::date then ${gasBudgets.spentWei} else 0 end`
    const rows = await fromDatabase(
      db
        .insert(gasBudgets)
        .values({ name, day, spentWei: 0n, lastWei: 0n })
        .onConflictDoUpdate({
          target: gasBudgets.name,
          set: {
            day: sql`greatest(${gasBudgets.day}, ${day}::date)`,
            spentWei: sql`${spent} + ${gasBudgets.lastWei}`,
          },
          setWhere: sql`${spent} + ${gasBudgets.lastWei} <= ${perDayWei.toString()}::numeric`,
        })
        .returning({ reserved: gasBudgets.lastWei }),
    )
    if (rows[0]) return rows[0].reserved
    throw new LimitExceededError(
      `the daily gas budget for ${what} is exhausted`,
      DAY_MS - (at % DAY_MS),
    )
  }

  async settle(reservedWei: bigint, costWei: bigint): Promise<void> {
    await this.#add(costWei - reservedWei, { lastWei: costWei })
  }

  async release(reservedWei: bigint): Promise<void> {
    await this.#add(-reservedWei, {})
  }

  /** This budget is not deleted, because it contains the cost of the last transaction. */
  async deletePastBudgets(): Promise<void> {
    const { db, now, name } = this.#options
    const yesterday = new Date(now() - DAY_MS).toISOString().slice(0, 10)
    await db.delete(gasBudgets).where(and(ne(gasBudgets.name, name), lt(gasBudgets.day, yesterday)))
  }

  async #add(wei: bigint, also: { lastWei?: bigint }): Promise<void> {
    const { db, name } = this.#options
    await db
      .update(gasBudgets)
      .set({
        spentWei: sql`greatest(0, ${gasBudgets.spentWei} + ${wei.toString()}::numeric)`,
        ...also,
      })
      .where(eq(gasBudgets.name, name))
  }
}
