import { type SQL, sql } from 'drizzle-orm'

/**
 * Returns a table expression `v` that passes all rows as one parameter, because a statement can have at most 65,535
 * parameters.
 * @param columns names and types of the columns
 */
export function records(rows: readonly object[], columns: string): SQL {
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) v (${sql.raw(columns)})`
}
