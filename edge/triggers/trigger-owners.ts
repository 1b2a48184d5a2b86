import { sql } from 'drizzle-orm'
import { triggers } from '../db/schema.ts'
import type { IndexDatabase } from './trigger-index.ts'

/** Returns the IDs of the users who own the triggers, without duplicates. Ignores unknown triggers. */
export async function ownersOfTriggers(
  db: IndexDatabase,
  triggerIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ ownerId: triggers.ownerId })
    .from(triggers)
    .where(sql`${triggers.id} IN (SELECT value FROM json_each(${JSON.stringify(triggerIds)}))`)
  return rows.map(({ ownerId }) => ownerId)
}
