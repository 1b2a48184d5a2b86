import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../origin/db/open.ts'
import { replayIds } from '../../../origin/db/schema.ts'
import { startPostgres, whyNoPostgres } from './postgres.ts'

const row = { requestId: 'kept', expiresAt: new Date(0) }

describe('the embedded database', () => {
  it('keeps what was written over a restart, and is nobody else’s', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'svc-db-'))
    const first = await openDatabase({ url: undefined, stateDir })
    await first.db.insert(replayIds).values(row)
    await first.close()
    const second = await openDatabase({ url: undefined, stateDir })
    expect(await second.db.select().from(replayIds)).toEqual([row])
    expect(second.exclusive).toBe(true)
    await second.close()
    rmSync(stateDir, { recursive: true, force: true })
  })
})

describe.skipIf(whyNoPostgres)(`a server ${whyNoPostgres ?? ''}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.close())
  const open = () => openDatabase({ url: server.url, stateDir: '' })

  it('is migrated by one of the processes that start together, and used by all', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, open))
    for (const { db, exclusive } of opened) {
      expect(await db.select().from(replayIds)).toEqual([])
      expect(exclusive).toBe(false)
    }
    await Promise.all(opened.map(({ close }) => close()))
  })

  it('may drop its idle connections: the next query makes a new one', async () => {
    const { db, close } = await open()
    await db.execute(sql`select 1`)
    const killer = await open()
    await killer.db.execute(
      sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    await new Promise((settled) => setTimeout(settled, 100))
    expect(await db.execute(sql`select 1 as one`)).toMatchObject({
      rows: [{ one: 1 }],
    })
    await Promise.all([close(), killer.close()])
  })

  it('may break a connection in the middle of a transaction: that one fails, and the process lives on', async () => {
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

  it('that is not there fails the start', async () => {
    const nowhere = openDatabase({ url: 'postgres://svc@127.0.0.1:1/none', stateDir: '' })
    await expect(nowhere).rejects.toThrow('ECONNREFUSED')
  })
})
