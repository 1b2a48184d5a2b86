import { and, asc, eq, lte, sql } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import * as schema from '../db/schema.ts'

const { triggers } = schema

/** `lookAt` is the time of the next check in Unix milliseconds, or null if no check is scheduled. */
export type IndexedTrigger = { id: string; version: number; lookAt: number | null }

/** Sent by a schedule's object after a tick. `version` is the version of the trigger's record. */
export type TickReport = { id: string; version: number; nextTickAt: number | null }

/** Result of a check. `lookAt` is the time of the next check; `gone` means that the trigger no longer exists. */
export type RowCheck =
  | { row: IndexedTrigger; lookAt: number | null }
  | { row: IndexedTrigger; gone: true }

const same = sql`${triggers.id} = value ->> 0 AND ${triggers.version} = value ->> 1`

export class ScannerIndex {
  readonly #db: DrizzleD1Database<typeof schema>

  constructor(db: DrizzleD1Database<typeof schema>) {
    this.#db = db
  }

  /**
   * Returns the schedules with a tick that should have fired, most overdue first.
   * @param by Unix milliseconds
   */
  due(by: number, limit: number, after?: IndexedTrigger): Promise<IndexedTrigger[]> {
    const ordering = [triggers.lookAt, triggers.id] as const
    const afterLast =
      after && sql`(${triggers.lookAt}, ${triggers.id}) > (${after.lookAt}, ${after.id})`
    return this.#rows()
      .where(and(lte(triggers.lookAt, by), afterLast))
      .orderBy(...ordering.map((column) => asc(column)))
      .limit(limit)
  }

  async version(triggerId: string): Promise<number | undefined> {
    const [row] = await this.#rows().where(eq(triggers.id, triggerId))
    return row?.version
  }

  /**
   * Returns triggers of any kind that have not been compared with their Durable Objects since `since`, oldest
   * comparison first.
   */
  unchecked(since: number, limit: number): Promise<IndexedTrigger[]> {
    return this.#rows()
      .where(lte(triggers.checkedAt, since))
      .orderBy(asc(triggers.checkedAt))
      .limit(limit)
  }

  /**
   * Stores the results of the checks. Uses two statements for any number of rows, because D1 accepts at most 100
   * parameters per statement. Skips a row that has changed since it was read, because its content is newer.
   */
  async note(checks: readonly RowCheck[], now: number): Promise<void> {
    const gone = checks.filter((found) => 'gone' in found)
    const existing = checks.filter((found) => 'lookAt' in found)
    if (existing.length > 0) {
      const found = existing.map(({ row, lookAt }) => [row.id, row.version, lookAt])
      await this.#db.run(
        sql`UPDATE ${triggers} SET look_at = value ->> 2, checked_at = ${now}
            FROM json_each(${JSON.stringify(found)}) WHERE ${same}`,
      )
    }
    if (gone.length > 0) {
      const found = gone.map(({ row }) => [row.id, row.version])
      await this.#db.run(
        sql`DELETE FROM ${triggers}
            WHERE EXISTS (SELECT 1 FROM json_each(${JSON.stringify(found)}) WHERE ${same})`,
      )
    }
  }

  /**
   * Stores the next ticks that objects have reported. Leaves `checked_at` unchanged, because each changed index costs
   * further row writes.
   */
  async recordTicks(reports: readonly TickReport[]): Promise<void> {
    const next = reports.map(({ id, version, nextTickAt }) => [id, version, nextTickAt])
    await this.#db.run(
      sql`UPDATE ${triggers} SET look_at = value ->> 2
          FROM json_each(${JSON.stringify(next)}) WHERE ${same}`,
    )
  }

  #rows() {
    const { id, version, lookAt } = triggers
    return this.#db.select({ id, version, lookAt }).from(triggers)
  }
}
