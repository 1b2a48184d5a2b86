/** A Postgres server with the durability settings of `npm start`, unlike the server of the test run. */
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Child } from '../../origin/stack/child.ts'
import { startDatabase } from '../../origin/stack/database.ts'
import { freePort } from '../../origin/stack/ports.ts'
import { makeDataFolder } from '../../origin/stack/postgres.ts'
import { databaseAt } from '../origin/db/server-setup.ts'

export type DurablePostgres = {
  pid: number
  /** Creates an empty database, and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Number of statements that a database has executed, as counted by pg_stat_statements. */
  statements(name: string): Promise<number>
  close(): Promise<void>
}

export async function startDurablePostgres(): Promise<DurablePostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const dataDir = join(folder, 'origin', 'postgres')
  mkdirSync(join(folder, 'origin'))
  const password = randomBytes(32).toString('base64url')
  await makeDataFolder(dataDir, password)
  const preload = `shared_preload_libraries = 'pg_stat_statements'\n`
  appendFileSync(join(dataDir, 'postgresql.conf'), preload)
  let child: Child | undefined
  const onExit = () => child && process.kill(child.pid, 'SIGQUIT')
  process.once('exit', onExit)
  const { url } = await startDatabase(folder, await freePort(), password, {
    created: (made) => (child = made),
    onLine: () => {},
    started: () => {},
  })
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('create extension pg_stat_statements')
  return {
    pid: child!.pid,
    createDatabase: async (name) => {
      await client.query(`create database ${name}`)
      return databaseAt(url, name)
    },
    statements: async (name) => {
      const text = `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements s
        join pg_database d on d.oid = s.dbid where d.datname = $1`
      return (await client.query<{ calls: number }>(text, [name])).rows[0]!.calls
    },
    close: async () => {
      await client.end()
      process.off('exit', onExit)
      await child!.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
