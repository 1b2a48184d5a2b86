/**
 * Upgrades of D1 and of a trigger's object from the previous version, as recorded in `test/previous-version/fixture`.
 */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import migrations from '../../../drizzle/trigger-queue/migrations.js'
import ofEdge from '../../previous-version/fixture/edge.json'
import ofTrigger from '../../previous-version/fixture/trigger-queue.json'
import {
  createTrigger,
  edge,
  env,
  fire,
  kill,
  type Owner,
  queueOf,
  readRun,
  runOnce,
  someOwner,
} from '../app.ts'

type Stored = string | number | null | { gzip: string }
type Row = Record<string, Stored>
type Tables = Record<string, Row[]>

const HOUR_MS = 3_600_000

async function read(stored: Stored): Promise<string | number | null | ArrayBuffer> {
  if (typeof stored !== 'object' || stored === null) return stored
  const gzip = Uint8Array.from(atob(stored.gzip), (character) => character.charCodeAt(0))
  const stream = new Blob([gzip]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).arrayBuffer()
}

/** Returns an `INSERT` statement and its values for each row. */
async function insertions(tables: Tables) {
  const rows = Object.entries(tables).flatMap(([table, all]) =>
    all.map((row) => [table, row] as const),
  )
  return Promise.all(
    rows.map(async ([table, row]) => ({
      statement: insertInto(table, row),
      values: await Promise.all(Object.values(row).map(read)),
    })),
  )
}

function insertInto(table: string, row: Row): string {
  const names = Object.keys(row)
  const columns = names.map((name) => `"${name}"`).join()
  return `INSERT INTO "${table}" (${columns}) VALUES (${names.map(() => '?').join()})`
}

/** Recreates an object's tables as the previous version left them, with the ID, owner and key of this trigger. */
async function setBack(id: string, owner: Owner): Promise<void> {
  const { recorded_at, tables, trigger } = ofTrigger.data
  const ownText = JSON.stringify(tables)
    .replaceAll(trigger.id, id)
    .replaceAll(tables.trigger[0]!.owner_id, owner.id)
  const laterMs = Date.now() - recorded_at
  // Otherwise, the queued run would be too old to be executed.
  const asIfJustRecorded = (_: string, stored: unknown) =>
    typeof stored === 'number' && Math.abs(stored - recorded_at) < HOUR_MS
      ? stored + laterMs
      : stored
  const rows = await insertions(JSON.parse(ownText, asIfJustRecorded) as Tables)
  await runInDurableObject(queueOf(id), (_, { storage: { sql } }) => {
    const [current] = sql.exec('SELECT sealed FROM usage_keys').toArray()
    const named = sql.exec<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
    for (const { name } of named.toArray())
      if (!/^(sqlite_|_cf_|__drizzle)/.test(name)) sql.exec(`DROP TABLE "${name}"`)
    const level = ofTrigger.migrations.length
    for (let index = 0; index < level; index++) {
      const migration = migrations.migrations[`m${String(index).padStart(4, '0')}`]!
      for (const statement of migration.split('--> statement-breakpoint')) sql.exec(statement)
    }
    sql.exec('DELETE FROM __drizzle_migrations')
    const { when } = migrations.journal.entries[level - 1]!
    sql.exec('INSERT INTO __drizzle_migrations (id, hash, created_at) VALUES (1, ?, ?)', '', when)
    for (const { statement, values } of rows) sql.exec(statement, ...values)
    sql.exec('UPDATE usage_keys SET sealed = ?', current!['sealed'])
  })
  await kill(id)
}

describe('a trigger of the previous version', () => {
  const { runs, trigger } = ofTrigger.data
  let owner: Owner
  let id: string
  const idOf = (run: { id: string }) => run.id.replace(trigger.id, id)
  beforeAll(async () => {
    owner = await someOwner()
    ;({ id } = await createTrigger(owner, { options: { concurrency: 1 } }))
    await setBack(id, owner)
  })

  it('keeps its record', async () => {
    const shown = await (await owner.api(`/api/triggers/${id}`)).json<Record<string, unknown>>()
    const { name, kind, enabled, action_code, default_params, options } = trigger
    expect(shown).toMatchObject({ name, kind, enabled, action_code, default_params, options })
  })

  it.each(['success', 'failed'] as const)(
    'keeps its history: a run that ended as %s',
    async (status) => {
      expect(await readRun(owner, idOf(runs[status]))).toMatchObject({
        ...runs[status],
        id: idOf(runs[status]),
      })
    },
  )

  it('finishes the runs that were queued and in flight', async () => {
    expect((await runOnce(owner, idOf(runs.running))).status).toBe('success')
    expect((await runOnce(owner, idOf(runs.queued))).status).toBe('success')
  })

  it('replays an old run, and executes new ones', async () => {
    const replay = await owner.api(`/api/runs/${idOf(runs.success)}/replay`, { method: 'POST' })
    expect(replay.status).toBe(202)
    expect((await runOnce(owner, await fire(id))).status).toBe('success')
  })
})

describe('rows of D1 that the previous version wrote', () => {
  it('let the owner use a token and list the triggers', async () => {
    const { tables, token, owner_id } = ofEdge.data
    const rows = await insertions(tables)
    const inserts = rows.map(({ statement, values }) => env.DB.prepare(statement).bind(...values))
    await env.DB.batch([env.DB.prepare('PRAGMA defer_foreign_keys = on'), ...inserts])
    const headers = { authorization: `Bearer ${token}` }
    const me = await (await edge('/api/me', { headers })).json<{ id: string }>()
    expect(JSON.stringify(me)).toContain(owner_id)
    const listed = await (await edge('/api/triggers', { headers })).json<{ name: string }[]>()
    expect(listed).toHaveLength(1)
    expect(listed[0]!.name).toBe('a webhook')
  })
})
