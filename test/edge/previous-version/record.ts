/** Records the rows of a trigger's object and of D1, as the code at this version writes them. */
import { runInDurableObject } from 'cloudflare:test'
import { expect, inject, it } from 'vitest'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  env,
  fire,
  post,
  queueOf,
  readRun,
  runOnce,
  script,
  slow,
  someOwner,
  success,
} from '../app.ts'

type Row = Record<string, unknown>

/** Bytes are written as compressed base64, because JSON cannot represent bytes, and a stored body may be large. */
async function toJson(row: Row): Promise<Row> {
  const written = Object.entries(row).map(async ([name, value]) => {
    if (!(value instanceof ArrayBuffer || Array.isArray(value))) return [name, value]
    const bytes = new Uint8Array(value as ArrayBuffer)
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
    const gzip = new Uint8Array(await new Response(stream).arrayBuffer())
    return [name, { gzip: btoa(Array.from(gzip, (byte) => String.fromCharCode(byte)).join('')) }]
  })
  return Object.fromEntries(await Promise.all(written))
}

const shown = ({ id, status, response, error }: RunRecord) => ({ id, status, response, error })

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table'
  AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name NOT LIKE '%migrations'`

async function tables(read: (query: string) => Promise<Row[]>): Promise<Record<string, Row[]>> {
  const names = (await read(TABLES)).map(({ name }) => String(name))
  const recorded = names.map(async (name) => {
    const rows = await read(`SELECT * FROM "${name}"`)
    return [name, await Promise.all(rows.map(toJson))] as const
  })
  return Object.fromEntries((await Promise.all(recorded)).filter(([, rows]) => rows.length > 0))
}

async function send(name: string, body: object): Promise<void> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  expect((await fetch(`${inject('recorder')}/data/${name}`, init)).status).toBe(200)
}

it('records a trigger and its owner', async () => {
  const owner = await someOwner()
  const made = await createTrigger(owner, {
    action_code: script(success({ first: true })),
    default_params: { from: 'the previous version' },
    options: { concurrency: 1 },
  })
  const changeAction = async (action_code: string) => {
    const { init } = post('', { action_code })
    await owner.api(`/api/triggers/${made.id}`, { ...init, method: 'PATCH' })
  }
  const success_run = await runOnce(owner, await fire(made.id, '{"n":1}'))
  const { response: _, ...ended } = success().outcome
  const thrown = { code: 'action_threw', message: 'no', stack: 'Error: no' } as const
  await changeAction(script({ outcome: { ...ended, status: 'failed', ...thrown } }))
  const failed_run = await runOnce(owner, await fire(made.id, '{"n":2}'))
  await changeAction(script(slow(1_500)))
  const running = await fire(made.id, '{"n":3}')
  await runOnce(owner, running, ({ status }) => status === 'running')
  // Large enough for two rows of parts.
  const queued = await fire(made.id, JSON.stringify({ n: 4, text: 'x'.repeat(1_200_000) }))
  const trigger = await (await owner.api(`/api/triggers/${made.id}`)).json()
  const objectTables = await runInDurableObject(queueOf(made.id), (__, { storage }) =>
    tables(async (query) => storage.sql.exec(query).toArray()),
  )
  await send('trigger-queue', {
    recorded_at: Date.now(),
    trigger,
    runs: {
      success: shown(success_run),
      failed: shown(failed_run),
      running: shown(await readRun(owner, running)),
      queued: shown(await readRun(owner, queued)),
    },
    tables: objectTables,
  })
  const ofOwner = await tables(async (query) => {
    const { results } = await env.DB.prepare(query).all<Row>()
    // Other tests use the same database.
    return query === TABLES
      ? results
      : results.filter((row) => Object.values(row).includes(owner.id))
  })
  await send('edge', { token: owner.token, owner_id: owner.id, tables: ofOwner })
})
