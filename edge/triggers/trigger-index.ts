/** The list of triggers in D1: an index for `GET /api/triggers`, written after the object. */
import { and, desc, eq } from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type { TriggerRecord } from '../../shared/wire/trigger.ts'
import * as schema from '../db/schema.ts'

type Database = DrizzleD1Database<typeof schema>
const { triggers } = schema

export async function indexTrigger(
  db: Database,
  ownerId: string,
  record: TriggerRecord,
): Promise<void> {
  const { action_code: _inTheObject, ...listed } = record
  await db.insert(triggers).values({
    id: record.id,
    ownerId,
    kind: record.kind,
    record: JSON.stringify(listed),
    createdAt: Date.parse(record.created_at),
    updatedAt: Date.parse(record.updated_at),
  })
}

/** Newest first. The source of an action is in the record of one trigger alone. */
export async function listTriggers(
  db: Database,
  ownerId: string,
): Promise<Omit<TriggerRecord, 'action_code'>[]> {
  const rows = await db
    .select({ record: triggers.record })
    .from(triggers)
    .where(eq(triggers.ownerId, ownerId))
    .orderBy(desc(triggers.createdAt), desc(triggers.id))
  return rows.map((row) => JSON.parse(row.record) as Omit<TriggerRecord, 'action_code'>)
}

export async function forgetTrigger(db: Database, ownerId: string, id: string): Promise<void> {
  await db.delete(triggers).where(and(eq(triggers.id, id), eq(triggers.ownerId, ownerId)))
}
