import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres'
import { migrate as migratePostgres } from 'drizzle-orm/node-postgres/migrator'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator'
import { Pool } from 'pg'
import * as schema from './schema.ts'

export type Database = PgDatabase<PgQueryResultHKT, typeof schema>

export type OpenDatabase = {
  db: Database
  /** True where no other process can have this database open: what another one left is certainly dead. */
  exclusive: boolean
  close(): Promise<void>
}

const migrationsFolder = fileURLToPath(new URL('../../drizzle/origin', import.meta.url))

/** Opens and migrates the database: the server at `url`, or PGlite under the state folder. */
export async function openDatabase(options: {
  url: string | undefined
  stateDir: string
}): Promise<OpenDatabase> {
  if (options.url !== undefined) {
    const pool = new Pool({ connectionString: options.url, max: 8 })
    const db = drizzlePostgres(pool, { schema })
    await migratePostgres(db, { migrationsFolder })
    return { db, exclusive: false, close: () => pool.end() }
  }
  const dataDir = join(options.stateDir, 'origin', 'pglite')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const client = await PGlite.create(dataDir)
  const db = drizzlePglite(client, { schema })
  await migratePglite(db, { migrationsFolder })
  return { db, exclusive: true, close: () => client.close() }
}
