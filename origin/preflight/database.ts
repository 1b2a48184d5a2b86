import { readMigrationFiles } from 'drizzle-orm/migrator'
import { Client } from 'pg'
import { causeCode } from '../../shared/errors/cause-code.ts'
import { type Check, fault, ok } from '../../shared/preflight/checks.ts'
import {
  connectionOptions,
  type DatabaseConnection,
  DatabaseTlsError,
  explainTlsError,
} from '../db/connection.ts'
import { migrationsFolder } from '../db/open.ts'

const NAME = 'Postgres'
const TIMEOUT_MS = 5_000
/** `server_version_num` of the oldest supported version. */
const VERSION_MIN = 150_000

/** PostgreSQL's error codes, and their usual causes. */
const CAUSES: Record<string, string> = {
  '28P01': 'the role or its password is wrong',
  '28000': 'the server does not accept this role from here',
  '3D000': 'the database does not exist',
  '53300': 'the server has no connection left',
}

/** Only reads. The origin applies pending migrations when it starts. */
export async function checkDatabase(connection: DatabaseConnection): Promise<Check[]> {
  let client: Client | undefined
  try {
    client = new Client({
      ...connectionOptions(connection),
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    })
    client.on('error', () => {})
    await client.connect()
    return [await checkServer(client), await checkMigrations(client)]
  } catch (error) {
    return [fault(NAME, reasonOf(error))]
  } finally {
    await client?.end().catch(() => {})
  }
}

function reasonOf(error: unknown): string {
  const explained = explainTlsError(error)
  if (explained instanceof DatabaseTlsError) return explained.message
  if (error instanceof Error && error.message.startsWith('DATABASE_URL: ')) return error.message
  // The library has no code for its timeouts.
  if (error instanceof Error && /timeout/i.test(error.message))
    return `no response within ${TIMEOUT_MS / 1000} s`
  const code = causeCode(error)
  return CAUSES[code] ?? `cannot connect (${code})`
}

type Server = { number: string; version: string; tls: string | null; standby: boolean }

async function checkServer(client: Client): Promise<Check> {
  const { rows } = await client.query<Server>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as version,
       (select version from pg_stat_ssl where pid = pg_backend_pid()) as tls, pg_is_in_recovery() as standby`,
  )
  const { number, version, tls, standby } = rows[0]!
  if (Number(number) < VERSION_MIN) return fault(NAME, `version ${version} is older than 15`)
  if (standby) return fault(NAME, 'the server is a standby, which rejects writes')
  return ok(NAME, `version ${version}, ${tls ?? 'without TLS'}`)
}

async function checkMigrations(client: Client): Promise<Check> {
  const name = 'migrations'
  const ours = readMigrationFiles({ migrationsFolder })
  const applied = await appliedMigrations(client)
  const known = new Set(ours.map(({ hash }) => hash))
  const unknown = applied.filter(({ hash }) => !known.has(hash))
  if (unknown.length > 0)
    return fault(name, 'the database was migrated by a newer version of the origin than this one')
  const pending = ours.length - applied.length
  if (pending === 0) return ok(name, `all ${ours.length} applied`)
  if (!(await canMigrate(client)))
    return fault(
      name,
      `${pending} pending, and the role is not allowed to create schemas and tables`,
    )
  return ok(name, `${pending} pending, which the origin applies when it starts`)
}

async function appliedMigrations(client: Client): Promise<{ hash: string }[]> {
  const { rows } = await client.query<{ there: boolean }>(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as there",
  )
  if (!rows[0]!.there) return []
  const applied = await client.query<{ hash: string }>(
    'select hash from drizzle.__drizzle_migrations',
  )
  return applied.rows
}

async function canMigrate(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ allowed: boolean }>(
    `select has_database_privilege(current_database(), 'CREATE')
       and has_schema_privilege(current_schema(), 'CREATE') as allowed`,
  )
  return rows[0]!.allowed
}
