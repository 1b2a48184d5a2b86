import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'
import { connectionOptions, type DatabaseConnection, explainTlsError } from './connection.ts'
import { connectionPool, NO_TIMEOUTS } from './pool.ts'
import * as schema from './schema.ts'

export type Database = PgDatabase<PgQueryResultHKT, typeof schema>

export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

export type OpenDatabase = {
  db: Database
  /** Separate connections for long reads, such as account statements and audits. */
  reports: Database
  close: () => Promise<void>
}

export const migrationsFolder = fileURLToPath(new URL('../../drizzle/origin', import.meta.url))

/**
 * ID of the advisory lock that allows only one process at a time to migrate. The number is arbitrary, but no other lock
 * may use it.
 */
const MIGRATION_LOCK = 7_836_215

/**
 * Applies pending migrations.
 * @throws {DatabaseTlsError} if the server does not support TLS, or its certificate is not accepted
 */
export async function openDatabase(connection: DatabaseConnection): Promise<OpenDatabase> {
  const options = connectionOptions(connection)
  const untimedPool = connectionPool({ ...options, max: 2, ...NO_TIMEOUTS })
  try {
    await migrateExclusively(untimedPool)
  } catch (error) {
    await untimedPool.end()
    throw explainTlsError(error)
  }
  const pool = connectionPool({ ...options, max: 8 })
  const db = drizzle(pool, { schema })
  const reports = drizzle(untimedPool, { schema })
  const close = async () => void (await Promise.all([pool.end(), untimedPool.end()]))
  return { db, reports, close }
}

/**
 * Applies migrations under an advisory lock. Without the lock, processes that start at the same time would create the
 * same tables, and all but one would fail.
 */
async function migrateExclusively(pool: Pool): Promise<void> {
  const connection = await pool.connect()
  try {
    await connection.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle(connection, { schema }), { migrationsFolder })
    await connection.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
    connection.release()
  } catch (error) {
    // Closes the connection instead of returning it to the pool, because its session holds the lock.
    connection.release(true)
    throw error
  }
}
