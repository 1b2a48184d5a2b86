/** Only hashes of keys are stored, in all stores. */
import { type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun } from './runs-client.ts'

let origin: TestOrigin
const shown: Record<string, string> = {}
beforeAll(async () => {
  origin = await startOrigin()
  shown.first = await origin.account()
  await origin.group(shown.first, { cid_hashes_permitted: [0] })
  const rotated = await origin.core('rotate_account_api_key', { key: shown.first, method: 'POST' })
  shown.account = rotated.body.api_key
  const key = shown.account!
  const headers = { 'idempotency-key': 'one' }
  const made = { key, headers, body: { name: 'k', execute_in_groups: [1] } }
  shown.usage = (await origin.core('add_usage_api_key', made)).body.usage_api_key
  shown.removed = await origin.usageKey(key, {})
  await origin.core('remove_usage_api_key', { key, body: { usage_api_key: shown.removed } })
  await origin.run(shown.usage!, 'async function main() { return 1 }')
  const run = { id: 'T'.repeat(32) + 'A'.repeat(16), attempt: 1 }
  const code = 'async function main() { return 2 }'
  await executeRun(origin, { credential: { api_key: shown.usage! }, code, run })
  await origin.core('billing/balance', { key })
  await origin.services.keyUses.flush()
})
afterAll(() => origin.close())

/** Ways in which the text of a key, or the bytes that it encodes, might be stored. */
const spellings = (key: string) => [
  key,
  key.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''),
  Buffer.from(key).toString('hex'),
  Buffer.from(key, 'base64').toString('hex'),
  Buffer.from(key).toString('base64').replace(/=+$/, ''),
]

async function rowsOf<Row>(query: SQL): Promise<Row[]> {
  return ((await origin.database.db.execute(query)) as { rows: Row[] }).rows
}

/** Every row of every table, with bytes as hex. */
async function database(): Promise<string> {
  const tables = await rowsOf<{ name: string }>(
    sql`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const dumps = tables.map(async ({ name }) => {
    const rows = await rowsOf<{ row: string }>(sql`select t::text as row from ${sql.raw(name)} t`)
    return [name, ...rows.map(({ row }) => row)].join('\n')
  })
  return (await Promise.all(dumps)).join('\n')
}

/** The data of every transaction. */
async function chain(): Promise<string> {
  const { provider } = origin.services.chain
  const last = await provider.getBlockNumber()
  const numbers = Array.from({ length: last + 1 }, (_, number) => number)
  const blocks = await Promise.all(numbers.map((number) => provider.getBlock(number, true)))
  return blocks
    .flatMap((block) => block?.prefetchedTransactions ?? [])
    .map(({ data }) => data)
    .join('\n')
}

describe.each([
  ['the database', database],
  ['the chain', chain],
  ['the log', async () => JSON.stringify(origin.logs)],
])('stolen store: %s', (name, read) => {
  it('contains no key that was shown', async () => {
    const stored = (await read()).toLowerCase()
    for (const [what, key] of Object.entries(shown)) {
      expect(key, what).toMatch(/^[A-Za-z0-9+/]{43}=$/)
      for (const spelling of spellings(key))
        expect(stored.includes(spelling.toLowerCase()), `${what} in ${name}`).toBe(false)
    }
  })
})

it('the stores that were searched contain the hashes of the keys', async () => {
  const hash = origin.hashOf(shown.usage!).slice(2)
  expect(await database()).toContain(hash)
  expect(await chain()).toContain(hash)
})
