import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionPool } from '../../../origin/db/pool.ts'
import { startPostgres, whyNoPostgres } from './postgres.ts'

/** A client whose connection breaks when a transaction begins, as long as it is told so. */
const breaking = { now: true }
class BreakingClient extends Client {
  readonly #query = super.query.bind(this) as (...args: unknown[]) => unknown
  override query = ((...args: unknown[]): unknown => {
    const [first] = args as [{ text?: string }]
    // Its socket ends before the statement can be sent.
    if (breaking.now && first.text?.startsWith('begin')) this.connection.stream.destroy()
    return this.#query(...args)
  }) as Client['query']
}

describe.skipIf(whyNoPostgres)(`a pool of connections ${whyNoPostgres ?? ''}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.close())

  it('loses none to transactions whose begin fails: after more of them than it has connections, the next one works', async () => {
    const pool = connectionPool({ connectionString: server.url, max: 2, Client: BreakingClient })
    const db = drizzle(pool)
    for (let count = 0; count < 3; count++)
      await expect(db.transaction((tx) => tx.execute(sql`select 1`))).rejects.toThrow()
    breaking.now = false
    const answer = await db.transaction((tx) => tx.execute(sql`select 1 as one`))
    expect(answer.rows).toEqual([{ one: 1 }])
    await pool.end()
  })
})
