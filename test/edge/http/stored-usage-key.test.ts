import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import {
  createTrigger,
  edge,
  env,
  fire,
  kill,
  post,
  readRun,
  runOnce,
  seen,
  someOwner,
  sql,
  webhook,
} from '../app.ts'

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'"

/** Converts every value of the rows to text, with bytes as Latin-1, so that a key would be visible. */
function text(rows: Record<string, unknown>[]): string {
  const show = (value: unknown) => {
    if (value instanceof ArrayBuffer) return new TextDecoder('latin1').decode(value)
    if (Array.isArray(value)) return new TextDecoder('latin1').decode(new Uint8Array(value))
    return String(value)
  }
  return rows.flatMap((row) => Object.values(row).map(show)).join('\n')
}

async function everythingInD1(): Promise<string> {
  const { results: tables } = await env.DB.prepare(TABLES).all<{ name: string }>()
  const dumps = tables.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`).all())
  return (await Promise.all(dumps)).map(({ results }) => text(results)).join('\n')
}

async function everythingIn(namespace: DurableObjectNamespace): Promise<string> {
  const dumps: string[] = []
  for (const id of await listDurableObjectIds(namespace))
    dumps.push(
      await runInDurableObject(namespace.get(id), async (_, { storage }) => {
        const tables = storage.sql.exec<{ name: string }>(TABLES).toArray()
        const rows = tables.map(({ name }) =>
          text(storage.sql.exec(`SELECT * FROM "${name}"`).toArray()),
        )
        return [...rows, JSON.stringify([...(await storage.list())])].join('\n')
      }),
    )
  return dumps.join('\n')
}

it('stolen edge: the usage key is not in any D1 table, object, response or log', async () => {
  const logs = (['debug', 'info', 'warn', 'error', 'log'] as const).map((level) =>
    vi.spyOn(console, level),
  )
  const canary = `canary-${crypto.randomUUID()}`
  const owner = await someOwner()
  const { id } = await createTrigger(owner, { usage_api_key: canary })
  const run = await runOnce(owner, await fire(id, 'body'))
  expect(await seen(run.id)).toMatchObject([{ usageKey: canary }])
  const wrong = post('/api/triggers', webhook({ usage_api_key: canary, max_queued_runs: 0 }))
  const answers = [
    await owner.api(wrong.path, wrong.init),
    await owner.api('/api/triggers'),
    await owner.api(`/api/triggers/${id}`),
    await owner.api(`/api/triggers/${id}/runs`),
    await owner.api(`/api/runs/${run.id}`),
    await edge(`/webhook/${id}`, { method: 'POST' }),
  ]
  const shown = await Promise.all(answers.map((answer) => answer.text()))
  const stored = [
    await everythingInD1(),
    await everythingIn(env.TRIGGER_QUEUE),
    await everythingIn(env.ORIGIN_TRUST_OBJECT),
  ]
  // The dump covers rows and bytes: it contains the expected values.
  expect(stored[0]).toContain(id)
  expect(stored[1]).toContain('body')
  for (const place of [...shown, ...stored, JSON.stringify(logs.map((log) => log.mock.calls))])
    expect(place).not.toContain(canary)
})

it('moved key: a sealed key in another trigger cannot be opened, and nothing is executed', async () => {
  const [owner, other] = [await someOwner(), await someOwner()]
  const [victim, thief] = [await createTrigger(owner), await createTrigger(other)]
  const [row] = await sql<{ key: ArrayBuffer }>(victim.id, 'SELECT sealed AS key FROM usage_keys')
  await sql(thief.id, 'UPDATE usage_keys SET sealed = ?', row!.key)
  await kill(thief.id)
  const refused = vi.spyOn(console, 'warn')
  const run = await fire(thief.id)
  await vi.waitUntil(() => refused.mock.calls.some(([line]) => String(line).includes(thief.id)))
  expect(await seen(run)).toEqual([])
  expect((await readRun(other, run)).finished_at).toBeNull()
})
