/** Starts one Postgres server per test run, with a migrated, empty database from which each test copies its own. */
import { Client } from 'pg'
import { openDatabase } from '../../../origin/db/open.ts'
import { forAllProjects } from '../../doubles/for-all-projects.ts'
import { startPostgres } from './postgres.ts'

/** Environment variable with the server's URL, inherited by the test workers. */
export const TEST_SERVER = 'TEST_POSTGRES'

/** The template from which test databases are copied. */
export const TEMPLATE = 'template_migrated'

export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('postgres', async () => {
    const server = await startPostgres()
    const client = new Client({ connectionString: server.url })
    await client.connect()
    await client.query(`create database ${TEMPLATE}`)
    await client.end()
    // Closed again, because Postgres cannot copy a database that has connections.
    await (await openDatabase({ url: databaseAt(server.url, TEMPLATE) })).close()
    process.env[TEST_SERVER] = server.url
    return async () => {
      delete process.env[TEST_SERVER]
      await server.close()
    }
  })
}

/** Returns the URL of another database on the same server. */
export function databaseAt(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
