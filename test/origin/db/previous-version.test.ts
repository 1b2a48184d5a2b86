/** An upgrade of the origin's database from the previous version, as recorded in `test/previous-version/fixture`. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Audit } from '../../../origin/credits/audit.ts'
import { migrationsFolder, openDatabase } from '../../../origin/db/open.ts'
import { addressFromPrivateKey, Keyring } from '../../../origin/keys/keyring.ts'
import { SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'
import fixture from '../../previous-version/fixture/origin.json' with { type: 'json' }
import { emptyDatabase, openFresh } from './fresh-database.ts'

const { data } = fixture
const key = data.key
const root = Buffer.from(data.root, 'hex')

/** Creates the database as the previous version left it, without this version's migrations. */
async function previousDatabase() {
  const database = await emptyDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await migrateLikePrevious(client)
  // The rows contain each other's keys, and the ledger refuses changes.
  await client.query('set session_replication_role = replica')
  for (const [table, rows] of Object.entries(data.tables)) {
    const insert = `insert into "${table}" overriding system value select * from json_populate_recordset(null::"${table}", $1)`
    await client.query(insert, [asIfJustRecorded(rows)])
  }
  // Only inserted defaults advance a sequence.
  const { rows: counted } = await client.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where is_identity = 'YES' and table_schema = 'public'`,
  )
  for (const { table, column } of counted)
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), max("${column}")) from "${table}"`,
    )
  await client.end()
  return database
}

async function migrateLikePrevious(client: Client): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-migrations-'))
  cpSync(migrationsFolder, folder, { recursive: true })
  const journalFile = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as { entries: { tag: string }[] }
  const entries = journal.entries.filter(({ tag }) => fixture.migrations.includes(tag))
  writeFileSync(journalFile, JSON.stringify({ ...journal, entries }))
  await migrate(drizzle(client), { migrationsFolder: folder })
  rmSync(folder, { recursive: true })
}

/** Moves all times to now. Otherwise, outcomes and stored responses would have expired. */
function asIfJustRecorded(rows: string): string {
  const laterMs = Date.now() - data.recorded_at
  return rows.replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+\+00:00)"/g, (_, time: string) =>
    JSON.stringify(new Date(Date.parse(time) + laterMs)),
  )
}

describe('this version on the database of the previous one', () => {
  let origin: TestOrigin
  beforeAll(async () => {
    const openStored = async () => {
      const { url, drop } = await previousDatabase()
      const opened = await openDatabase({ url })
      const close = async () => {
        await opened.close()
        await drop()
      }
      return { ...opened, url, close }
    }
    origin = await startOrigin(undefined, undefined, { root, openStored })
    // The chain is new. The account has to be registered again, unless the recorded outbox contains the transaction.
    const wallet = addressFromPrivateKey(new Keyring(root).accountKey(data.account))
    const written = origin.services.writer.write('newAccount', [data.account, wallet, 'kept', ''])
    await written.catch((error: unknown) => {
      expect(error).toMatchObject({ errorName: 'AccountAlreadyExists' })
    })
    await vi.waitUntil(async () => (await origin.core('billing/balance', { key })).status === 200, {
      timeout: 60_000,
    })
  })
  afterAll(() => origin.close())

  const balance = async () => (await origin.core('billing/balance', { key })).body

  it('has the same balance, from payments and charges', async () => {
    expect(await balance()).toEqual(data.balance)
  })

  it('finds no differences in the books', async () => {
    const { db, log } = { ...origin.database, ...origin.services }
    const audit = new Audit({ db, log })
    await audit.run()
    expect(audit.differences).toBe(0)
  })

  it('returns the response that is stored for an Idempotency-Key, without a charge', async () => {
    const { body, headers, response } = data.idempotent
    const answer = await origin.core('svc_action', { key, body, headers })
    expect([answer.status, answer.body]).toEqual([200, response])
    expect(await balance()).toEqual(data.balance)
  })

  it('returns the stored outcome of a run', async () => {
    const { run_id, outcome } = data.sealed_run
    const { ended } = await origin.sealed(SEALED_OUTCOMES_PATH, { run_ids: [run_id], wait_ms: 0 })
    expect(ended).toEqual({ [run_id]: outcome })
  })

  it('knows the spending caps of the account', async () => {
    const caps = await origin.services.credits.caps(data.account)
    expect(caps).toMatchObject([{ keyHash: data.capped, capCents: 100, spentCents: 0 }])
  })

  it('executes and charges a new run', async () => {
    expect((await origin.run(key, 'function main() { return 1 }')).status).toBe(200)
    const { balance_cents } = await balance()
    expect(balance_cents).toBe(data.balance.balance_cents - 1)
  })
})

describe('the previous version on the schema of this one', () => {
  it('can execute all of its statements', async () => {
    const database = await openFresh()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const refused: string[] = []
    for (const statement of fixture.statements)
      await client.query(`prepare s as ${statement}; deallocate s`).catch((error: unknown) => {
        refused.push(`${String(error)}: ${statement}`)
      })
    await client.end()
    await database.close()
    expect(refused).toEqual([])
    expect(fixture.statements.length).toBeGreaterThan(50)
  })
})
