/** One Postgres for a test run, with a migrated and empty database that each test's own is a copy of. */
import { Client } from 'pg'
import { openDatabase } from '../../../origin/db/open.ts'
import { forAllProjects } from '../../doubles/for-all-projects.ts'
import { startPostgres } from './postgres.ts'

/** The variable of this process, and so of its workers, that says where the server is. */
export const TEST_SERVER = 'TEST_POSTGRES'

/** The database that others are copies of. */
export const TEMPLATE = 'template_migrated'

export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('postgres', async () => {
    const server = await startPostgres()
    const client = new Client({ connectionString: server.url })
    await client.connect()
    await client.query(`create database ${TEMPLATE}`)
    await client.end()
    // Closed again: a database that somebody uses can not be copied.
    await (await openDatabase(databaseAt(server.url, TEMPLATE))).close()
    process.env[TEST_SERVER] = server.url
    return async () => {
      delete process.env[TEST_SERVER]
      await server.close()
    }
  })
}

/** Another database of the same server. */
export function databaseAt(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
