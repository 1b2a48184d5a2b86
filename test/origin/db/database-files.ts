import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../origin/db/open.ts'

/** Returns the paths of a database's data files and of the server's write-ahead log, after a checkpoint. */
export async function databaseFiles(db: Database): Promise<string[]> {
  await db.execute(sql`checkpoint`)
  const asked = sql`select current_setting('data_directory') as folder, oid from pg_database where datname = current_database()`
  const { rows } = (await db.execute(asked)) as { rows: { folder: string; oid: number }[] }
  const { folder, oid } = rows[0]!
  return [join(folder, 'base', String(oid)), join(folder, 'pg_wal')].flatMap((within) =>
    readdirSync(within, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(within, name)),
  )
}
