import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionPool } from '../../../origin/db/pool.ts'
import { silentProxy } from '../../doubles/silent-proxy.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

/** A client that breaks its connection at the beginning of a transaction while `now` is set. */
const breaking = { now: true }
class BreakingClient extends Client {
  readonly #query = super.query.bind(this) as (...args: unknown[]) => unknown
  override query = ((...args: unknown[]): unknown => {
    const [first] = args as [{ text?: string }]
    // Closes the socket before the statement can be sent.
    if (breaking.now && first.text?.startsWith('begin')) this.connection.stream.destroy()
    return this.#query(...args)
  }) as Client['query']
}

describe('a pool of connections', () => {
  let server: FreshDatabase
  beforeAll(async () => {
    server = await freshDatabase()
  })
  afterAll(() => server?.drop())

  it('leaks no connection if begin fails: works after more failures than it has connections', async () => {
    const pool = connectionPool({ connectionString: server.url, max: 2, Client: BreakingClient })
    const db = drizzle(pool)
    for (let count = 0; count < 3; count++)
      await expect(db.transaction((tx) => tx.execute(sql`select 1`))).rejects.toThrow()
    breaking.now = false
    const answer = await db.transaction((tx) => tx.execute(sql`select 1 as one`))
    expect(answer.rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it('drops hanging connections, in a transaction or not, and opens new ones', async () => {
    const url = new URL(server.url)
    url.search = '' // // Clears the Unix socket, because the proxy listens on loopback.
    const proxy = await silentProxy(Number(url.port))
    url.port = String(proxy.port)
    const connectionString = url.href
    const pool = connectionPool({ connectionString, max: 2, query_timeout: 500 })
    const db = drizzle(pool)
    const hung = db.transaction(async (tx) => {
      await tx.execute(sql`select 1`)
      await db.execute(sql`select 1`)
      proxy.silence()
      await tx.execute(sql`select 1`)
    })
    await expect(hung).rejects.toThrow()
    await expect(db.execute(sql`select 1`)).rejects.toThrow()
    expect(await db.execute(sql`select 1 as one`)).toMatchObject({ rows: [{ one: 1 }] })
    await pool.end()
    proxy.close()
  })

  it('mixed up: a transaction that timed out is never committed by the next one', async () => {
    const pool = connectionPool({ connectionString: server.url, max: 1, query_timeout: 500 })
    const db = drizzle(pool)
    await db.execute(sql`create table noted (what text)`)
    const slow = db.transaction(async (tx) => {
      await tx.execute(sql`insert into noted values ('of the first')`)
      await tx.execute(sql`select pg_sleep(1.2)`)
    })
    await expect(slow).rejects.toThrow()
    await db.transaction((tx) => tx.execute(sql`insert into noted values ('of the second')`))
    const { rows } = await db.execute(sql`select what from noted`)
    expect(rows).toEqual([{ what: 'of the second' }])
    await pool.end()
  })

  it('lockout: a process that stops during a transaction does not keep a lock forever', async () => {
    const options = { connectionString: server.url, max: 1 }
    const stopped = connectionPool({ ...options, idle_in_transaction_session_timeout: 300 })
    const other = connectionPool(options)
    await other.query('create table locked (id int)')
    const client = await stopped.connect()
    await client.query('begin')
    await client.query('lock table locked')
    await other.query('insert into locked values (1)')
    client.release(true)
    await Promise.all([stopped.end(), other.end()])
  })
})
