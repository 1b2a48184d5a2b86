import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { drizzle as drizzlePostgres } from 'drizzle-orm/node-postgres'
import { migrate as migratePostgres } from 'drizzle-orm/node-postgres/migrator'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator'
import type { Pool } from 'pg'
import { connectionPool, PATIENT } from './pool.ts'
import * as schema from './schema.ts'

export type Database = PgDatabase<PgQueryResultHKT, typeof schema>

export type OpenDatabase = {
  db: Database
  /** For what may read for long, as statements and audits: at a server it has connections of its own. */
  reports: Database
  /** True where no other process can have this database open: what another one left is certainly dead. */
  exclusive: boolean
  close: () => Promise<void>
}

const migrationsFolder = fileURLToPath(new URL('../../drizzle/origin', import.meta.url))

/** Names the lock under which one process at a time migrates; any number that nothing else here uses. */
const MIGRATION_LOCK = 7_836_215

/** Opens and migrates the database: the server at `url`, or PGlite under the state folder. */
export async function openDatabase(options: {
  url: string | undefined
  stateDir: string
}): Promise<OpenDatabase> {
  if (options.url !== undefined) {
    const patient = connectionPool({ connectionString: options.url, max: 2, ...PATIENT })
    try {
      await migrateAlone(patient)
    } catch (error) {
      await patient.end()
      throw error
    }
    const pool = connectionPool({ connectionString: options.url, max: 8 })
    const db = drizzlePostgres(pool, { schema })
    const reports = drizzlePostgres(patient, { schema })
    const close = async () => void (await Promise.all([pool.end(), patient.end()]))
    return { db, reports, exclusive: false, close }
  }
  const dataDir = join(options.stateDir, 'origin', 'pglite')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return openEmbedded(dataDir)
}

/**
 * PGlite in a folder; in memory without one, for tests.
 * @param begunFrom what PGlite dumped of another, instead of a new and empty one
 */
export async function openEmbedded(dataDir?: string, begunFrom?: Blob): Promise<OpenDatabase> {
  const client = await PGlite.create({
    ...(dataDir && { dataDir }),
    ...(begunFrom && { loadDataDir: begunFrom }),
  })
  const db = drizzlePglite(client, { schema })
  await migratePglite(db, { migrationsFolder })
  return { db, reports: db, exclusive: true, close: () => client.close() }
}

/** Processes that start together on one server would make the same tables at the same time, and all but one fail. */
async function migrateAlone(pool: Pool): Promise<void> {
  const connection = await pool.connect()
  try {
    await connection.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migratePostgres(drizzlePostgres(connection, { schema }), { migrationsFolder })
    await connection.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
    connection.release()
  } catch (error) {
    // Closed, not given back: its session holds the lock.
    connection.release(true)
    throw error
  }
}
