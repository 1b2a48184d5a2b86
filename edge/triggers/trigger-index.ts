/** The list of triggers in D1: an index for `GET /api/triggers`, that each trigger's object keeps. */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import * as schema from '../db/schema.ts'

type Database = DrizzleD1Database<typeof schema>
const { triggers } = schema

/** What a list tells of a trigger: not the source, and not what only the object knows from one moment to the next. */
export type ListedTrigger = Omit<TriggerRecord, 'action_code' | 'waiting_for'>

/** Writes a trigger's row, unless it has a later version already. */
export async function putIndexRow(
  db: Database,
  ownerId: string,
  record: TriggerRecord,
  version: number,
): Promise<void> {
  const { action_code: _inTheObject, waiting_for: _ofTheMoment, ...listed } = record
  const row = {
    ownerId,
    kind: record.kind,
    record: JSON.stringify(listed),
    createdAt: Date.parse(record.created_at),
    updatedAt: Date.parse(record.updated_at),
    version,
    lookAt: record.next_run_at ? Date.parse(record.next_run_at) : null,
  }
  await db
    .insert(triggers)
    .values({ id: record.id, ...row })
    .onConflictDoUpdate({
      target: triggers.id,
      set: row,
      setWhere: sql`${triggers.version} <= ${version}`,
    })
}

/** Newest first. The source of an action is in the record of one trigger alone. */
export async function listTriggers(db: Database, ownerId: string): Promise<ListedTrigger[]> {
  const rows = await db
    .select({ record: triggers.record })
    .from(triggers)
    .where(eq(triggers.ownerId, ownerId))
    .orderBy(desc(triggers.createdAt), desc(triggers.id))
  return rows.map((row) => JSON.parse(row.record) as ListedTrigger)
}

export async function dropIndexRow(db: Database, ownerId: string, id: string): Promise<void> {
  await db.delete(triggers).where(and(eq(triggers.id, id), eq(triggers.ownerId, ownerId)))
}
