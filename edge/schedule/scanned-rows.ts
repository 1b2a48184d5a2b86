/** The index of triggers as the scanner reads it, and what it learns of its rows. */
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import * as schema from '../db/schema.ts'

const { triggers } = schema

/** A row of the index; times are Unix milliseconds. */
export type IndexedTrigger = { id: string; version: number; lookAt: number | null }

/** What became of a row: when to look at it next, or that its trigger is gone. */
export type Looked =
  | { row: IndexedTrigger; lookAt: number | null }
  | { row: IndexedTrigger; gone: true }

export class ScannedRows {
  readonly #db: DrizzleD1Database<typeof schema>

  constructor(db: DrizzleD1Database<typeof schema>) {
    this.#db = db
  }

  /**
   * Schedules whose tick should have fired by a time, those that have waited longest first.
   * @param after the last row of the page before
   */
  due(by: number, limit: number, after?: IndexedTrigger): Promise<IndexedTrigger[]> {
    const place = [triggers.lookAt, triggers.id] as const
    const behind =
      after && sql`(${triggers.lookAt}, ${triggers.id}) > (${after.lookAt}, ${after.id})`
    return this.#rows()
      .where(and(lte(triggers.lookAt, by), behind))
      .orderBy(...place.map((column) => asc(column)))
      .limit(limit)
  }

  /** The version of a trigger's row; `undefined` where it has none. */
  async version(triggerId: string): Promise<number | undefined> {
    const [row] = await this.#rows().where(eq(triggers.id, triggerId))
    return row?.version
  }

  /** Rows of every kind that nobody has compared with their objects since a time, the oldest first. */
  unchecked(since: number, limit: number): Promise<IndexedTrigger[]> {
    return this.#rows()
      .where(lte(triggers.checkedAt, since))
      .orderBy(asc(triggers.checkedAt))
      .limit(limit)
  }

  /**
   * Notes what was found, in two statements for any number of rows: D1 takes a hundred parameters in one. A row that
   * has changed since it was read is left alone, for whoever changed it knows better.
   */
  async note(looked: readonly Looked[], now: number): Promise<void> {
    const gone = looked.filter((found) => 'gone' in found)
    const there = looked.filter((found) => 'lookAt' in found)
    const same = sql`${triggers.id} = value ->> 0 AND ${triggers.version} = value ->> 1`
    if (there.length > 0) {
      const found = there.map(({ row, lookAt }) => [row.id, row.version, lookAt])
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

  #rows() {
    const { id, version, lookAt } = triggers
    return this.#db.select({ id, version, lookAt }).from(triggers)
  }
}
