import { and, eq, lt, ne, type SQL, sql } from 'drizzle-orm'
import { DAY_MS } from '../../shared/durations.ts'
import type { Database } from '../db/open.ts'
import { gasBudgets } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import { LimitExceededError } from './call-rate.ts'

export type GasBudgetOptions = {
  db: Database
  now: () => number
  /** Name of the budget, which is the primary key of its database row. */
  name: string
  /** Operations for which the budget pays, named in error messages. */
  what: string
  perDayWei: bigint
  /**
   * Makes this budget a share of what the others have left of a shared budget of `perDayWei`, instead of all of it. Its
   * first transaction of a day needs only the shared budget.
   */
  share?: { of: string; percent: number }
  onSpent?: (spent: SpentGas) => void
}

/** `day` is a UTC date, such as `2026-05-22`. */
export type SpentGas = { day: string; spentWei: bigint }

/** Gas reserved on a day. Only the budget of this day is corrected when the cost is known. */
type ReservedGas = { day: string; wei: bigint }

/**
 * Daily budget for gas that this deployment pays for other parties. The cost is known only from the receipt, so each
 * transaction reserves its estimated cost, but at least the cost of the previous transaction. If a transaction has no
 * receipt, the reserved amount remains counted as spent.
 */
export class GasBudget {
  readonly #options: GasBudgetOptions

  constructor(options: GasBudgetOptions) {
    this.#options = options
  }

  /** @throws {LimitExceededError | DatabaseUnavailableError} */
  async reserve(estimateWei: bigint): Promise<ReservedGas> {
    const { db, now, name, what } = this.#options
    const at = now()
    const day = utcDay(at)
    const spent = spentOn(day)
    const needed = sql`greatest(${gasBudgets.lastWei}, ${numeric(estimateWei)})`
    const rows = await fromDatabase(
      db
        .insert(gasBudgets)
        .values({ name, day, spentWei: estimateWei, lastWei: 0n })
        .onConflictDoUpdate({
          target: gasBudgets.name,
          set: {
            day: sql`greatest(${gasBudgets.day}, ${day}::date)`,
            spentWei: sql`${spent} + ${needed}`,
          },
          setWhere: this.#isWithin(sql`${spent} + ${needed}`, spent, day),
        })
        .returning(),
    )
    const row = rows[0]
    if (row) {
      this.#options.onSpent?.(row)
      return { day: row.day, wei: row.lastWei > estimateWei ? row.lastWei : estimateWei }
    }
    throw new LimitExceededError(
      `the daily gas budget for ${what} is exhausted`,
      DAY_MS - (at % DAY_MS),
    )
  }

  async settle(reserved: ReservedGas, costWei: bigint): Promise<void> {
    await this.#add(reserved.day, costWei - reserved.wei, { lastWei: costWei })
  }

  async release(reserved: ReservedGas): Promise<void> {
    await this.#add(reserved.day, -reserved.wei, {})
  }

  /** Reads what all processes have spent today, and reports it to `onSpent`. */
  async load(): Promise<void> {
    const { db, name, onSpent } = this.#options
    const [row] = await db.select().from(gasBudgets).where(eq(gasBudgets.name, name))
    if (row) onSpent?.(row)
  }

  /** This budget is not deleted, because it contains the cost of the last transaction. */
  async deletePastBudgets(): Promise<void> {
    const { db, now, name } = this.#options
    const yesterday = utcDay(now() - DAY_MS)
    await db.delete(gasBudgets).where(and(ne(gasBudgets.name, name), lt(gasBudgets.day, yesterday)))
  }

  /** @param total the amount that would be spent, including the new transaction */
  #isWithin(total: SQL, spent: SQL, day: string): SQL {
    const { perDayWei, share } = this.#options
    if (!share) return sql`${total} <= ${numeric(perDayWei)}`
    const sharedSpent = sql`coalesce((
      select case when shared.day >= ${day}::date then shared.spent_wei else 0 end
      from ${gasBudgets} as shared where shared.name = ${share.of}
    ), 0)`
    const left = sql`${numeric(perDayWei)} - greatest(0, ${sharedSpent} - ${spent})`
    return sql`(${spent} = 0 or ${total} <= (${left}) * ${share.percent}::numeric / 100)`
  }

  async #add(day: string, wei: bigint, also: { lastWei?: bigint }): Promise<void> {
    const { db, name, onSpent } = this.#options
    const [row] = await db
      .update(gasBudgets)
      .set({ spentWei: sql`greatest(0, ${gasBudgets.spentWei} + ${numeric(wei)})`, ...also })
      .where(and(eq(gasBudgets.name, name), eq(gasBudgets.day, day)))
      .returning()
    if (row) onSpent?.(row)
  }
}

export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Another process, whose clock is ahead, may already have moved the budget to the next day. */
function spentOn(day: string): SQL {
  return sql`case when ${gasBudgets.day} >= ${day}::date then ${gasBudgets.spentWei} else 0 end`
}

function numeric(wei: bigint): SQL {
  return sql`${wei.toString()}::numeric`
}
