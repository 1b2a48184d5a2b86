import { and, eq, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { gasBudgets } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'
import { TooManyCalls } from './call-rate.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export type GasBudgetOptions = {
  db: Database
  now: () => number
  /** Its row. */
  name: string
  /** What is paid for, in messages. */
  what: string
  /** Wei a day (UTC), of all processes together. */
  perDayWei: bigint
}

/**
 * What this deployment spends on a day for others. What a transaction will cost is known only from its receipt, so
 * each reserves what the last one cost; what never got a receipt stays counted.
 */
export class GasBudget {
  readonly #options: GasBudgetOptions

  constructor(options: GasBudgetOptions) {
    this.#options = options
  }

  /** @returns what was reserved, in wei. @throws {TooManyCalls | DatabaseUnavailable} */
  async reserve(): Promise<bigint> {
    const { db, now, name, what, perDayWei } = this.#options
    const at = now()
    const day = new Date(at).toISOString().slice(0, 10)
    // Another process' clock may be a day ahead already: its day goes on.
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
    throw new TooManyCalls(
      `the gas that is spent on ${what} in a day is spent`,
      DAY_MS - (at % DAY_MS),
    )
  }

  /** Puts what a transaction did cost in the place of what was reserved for it. */
  async settle(reservedWei: bigint, costWei: bigint): Promise<void> {
    await this.#add(costWei - reservedWei, { lastWei: costWei })
  }

  /** Nothing was sent. */
  async giveBack(reservedWei: bigint): Promise<void> {
    await this.#add(-reservedWei, {})
  }

  /** Forgets the others whose last day is over. Not this one: what the last transaction cost is reserved first. */
  async forgetOthers(): Promise<void> {
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
