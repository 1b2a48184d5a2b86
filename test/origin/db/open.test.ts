import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../origin/db/open.ts'
import { replayIds } from '../../../origin/db/schema.ts'
import { emptyDatabase, type FreshDatabase } from './fresh-database.ts'

describe('a database server', () => {
  let server: FreshDatabase
  beforeAll(async () => {
    server = await emptyDatabase()
  })
  afterAll(() => server?.drop())
  const open = () => openDatabase({ url: server.url })

  it('is migrated by one of several concurrently starting processes, and used by all', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, open))
    for (const { db } of opened) expect(await db.select().from(replayIds)).toEqual([])
    await Promise.all(opened.map(({ close }) => close()))
  })

  it('can drop idle connections: the next query opens a new one', async () => {
    const { db, close } = await open()
    await db.execute(sql`select 1`)
    const killer = await open()
    await killer.db.execute(
      sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`,
    )
    await new Promise((settled) => setTimeout(settled, 100))
    expect(await db.execute(sql`select 1 as one`)).toMatchObject({
      rows: [{ one: 1 }],
    })
    await Promise.all([close(), killer.close()])
  })

  it('can break a connection during a transaction: the transaction fails, but not the process', async () => {
    const [one, other] = [await open(), await open()]
    const broken = one.db.transaction(async (tx) => {
      const { rows } = (await tx.execute(sql`select pg_backend_pid() as pid`)) as {
        rows: { pid: number }[]
      }
      await other.db.execute(sql`select pg_terminate_backend(${rows[0]!.pid}::int)`)
      await tx.execute(sql`select 1`)
    })
    await expect(broken).rejects.toThrow()
    expect(await one.db.execute(sql`select 1 as one`)).toMatchObject({ rows: [{ one: 1 }] })
    await Promise.all([one.close(), other.close()])
  })

  it('that is unreachable fails the start', async () => {
    const nowhere = openDatabase({ url: 'postgres://svc@127.0.0.1:1/none' })
    await expect(nowhere).rejects.toThrow('ECONNREFUSED')
  })
})
