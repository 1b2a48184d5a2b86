import { type SQL, sql } from 'drizzle-orm'

/**
 * Rows `v` as one parameter, because a statement can have at most 65,535 parameters.
 * @param columns names and types
 */
export function records(rows: readonly object[], columns: string): SQL {
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) v (${sql.raw(columns)})`
}
