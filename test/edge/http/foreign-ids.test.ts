import { listDurableObjectIds } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../../edge/app.ts'
import * as schema from '../../../edge/db/schema.ts'
import {
  createTrigger,
  db,
  edge,
  env,
  fire,
  objectExists,
  type Owner,
  post,
  queueOf,
  runOnce,
  someOwner,
  sql,
  unknownTriggerId,
} from '../app.ts'

const mallory: Owner = await someOwner()
const victim: Owner = await someOwner()

/** Every operation on a trigger, run or replay, with a body that its owner could send. */
const OPERATIONS: Record<string, object | undefined> = {
  'GET /api/triggers/:id': undefined,
  'PATCH /api/triggers/:id': { enabled: false, name: 'taken', usage_api_key: 'usage-mallory' },
  'DELETE /api/triggers/:id': undefined,
  'GET /api/triggers/:id/runs': undefined,
  'GET /api/triggers/:id/tail': undefined,
  'POST /api/triggers/:id/test': { params: {} },
  'POST /api/triggers/:id/purge': {},
  'GET /api/runs/:id': undefined,
  'POST /api/runs/:id/replay': {},
  'POST /api/runs/:id/cancel': {},
  'GET /api/replays/:id': undefined,
  'POST /api/replays/:id/cancel': {},
  'PATCH /api/alerts/triggers/:id': { muted: true },
  'DELETE /api/alerts/triggers/:id': undefined,
  'PATCH /api/alerts/channels/:id': { enabled: false },
  'DELETE /api/alerts/channels/:id': undefined,
  'POST /api/alerts/channels/:id/rotate-secret': undefined,
  'POST /api/alerts/channels/:id/test': undefined,
  'GET /api/actions/:id': undefined,
  'PATCH /api/actions/:id': { name: 'taken' },
  'DELETE /api/actions/:id': undefined,
  'GET /api/actions/:id/versions': undefined,
  'POST /api/actions/:id/versions': { source: '1' },
  'GET /api/actions/:id/versions/:number': undefined,
  'DELETE /api/actions/:id/versions/:number': undefined,
}

async function ask(operation: string, trigger: string, run: string) {
  const [method, path] = operation.split(' ') as [string, string]
  const url = path.replace(':id', path.startsWith('/api/runs') ? run : trigger)
  const body = OPERATIONS[operation]
  const init = body ? { ...post('', body).init, method } : { method }
  const response = await mallory.api(url, init)
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id')
  return { status: response.status, headers, body: await response.text() }
}

/** Changes the last significant character, which invalidates the MAC. */
const forged = (id: string) => id.slice(0, 31) + (id[31] === 'A' ? 'B' : 'A')

it('tests exactly the /api routes that take an ID', () => {
  const routes = createApp()
    .routes.filter(({ method, path }) => method !== 'ALL' && /^\/api\/.*:/.test(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(OPERATIONS).toSorted()).toEqual([...new Set(routes)].toSorted())
})

describe('a foreign ID', async () => {
  const { id } = await createTrigger(victim, { max_runs_per_minute: 1 })
  const ended = (await runOnce(victim, await fire(id))).id
  const waiting = await fire(id)
  const unknown = await unknownTriggerId()
  const everything = async () => ({
    record: await (await victim.api(`/api/triggers/${id}`)).json(),
    runs: await (await victim.api(`/api/triggers/${id}/runs`)).json(),
    key: await sql(id, 'SELECT usage_key FROM trigger'),
  })

  it.each(Object.keys(OPERATIONS))(
    'ID probing: %s returns the same bytes as for an unknown, forged or malformed ID',
    async (operation) => {
      const before = await everything()
      const suffix = ended.slice(32)
      const answers = [
        await ask(operation, id, ended),
        await ask(operation, id, waiting),
        await ask(operation, id, id + 'A'.repeat(16)),
        await ask(operation, unknown, unknown + suffix),
        await ask(operation, forged(id), forged(id) + suffix),
        await ask(operation, 'x', 'x'),
        await ask(operation, `${id}A`, `${ended}A`),
        await ask(operation, id.toLowerCase(), ended.toUpperCase()),
      ]
      expect(answers[0]!.status).toBe(404)
      for (const answer of answers) expect(answer).toEqual(answers[0])
      const { record, ...rest } = before
      const after = await everything()
      expect(after).toEqual({
        ...rest,
        record: { ...(record as object), stats: expect.anything() },
      })
    },
  )

  it('ID probing: validates a cursor only for the owner', async () => {
    const read = async (owner: Owner, trigger: string) => {
      const response = await owner.api(`/api/triggers/${trigger}/runs?cursor=AAAA`)
      return [response.status, await response.text()]
    }
    expect(await read(mallory, id)).toEqual(await read(mallory, forged(id)))
    expect((await read(victim, id))[0]).toBe(422)
  })

  it('ID probing: HEAD reveals no more than GET', async () => {
    for (const trigger of [id, unknown, forged(id)]) {
      const response = await mallory.api(`/api/triggers/${trigger}`, { method: 'HEAD' })
      expect([response.status, await response.text()]).toEqual([404, ''])
    }
  })
})

describe('a flood of IDs', () => {
  it('addresses no objects if they are forged or malformed', async () => {
    const id = await unknownTriggerId()
    const before = new Set((await listDurableObjectIds(env.TRIGGER_QUEUE)).map(String))
    for (const made of [forged(id), id.slice(1), `${id}=`, 'A'.repeat(32), '%00'])
      for (const operation of Object.keys(OPERATIONS))
        expect((await ask(operation, made, `${made}${'A'.repeat(16)}`)).status).toBe(404)
    await edge(`/webhook/${forged(id)}`, { method: 'POST', body: '{}' })
    // Objects of other tests' triggers may appear meanwhile, when the scanner visits them.
    const rows = await db.select({ id: schema.triggers.id }).from(schema.triggers)
    const known = new Set(rows.map((row) => String(env.TRIGGER_QUEUE.idFromName(row.id))))
    const after = (await listDurableObjectIds(env.TRIGGER_QUEUE)).map(String)
    expect(after.filter((made) => !before.has(made) && !known.has(made))).toEqual([])
  })

  it('leaves no storage behind if they were generated but never assigned', async () => {
    const id = await unknownTriggerId()
    for (const operation of Object.keys(OPERATIONS)) await ask(operation, id, id + 'A'.repeat(16))
    expect((await edge(`/webhook/${id}`, { method: 'POST', body: '{}' })).status).toBe(404)
    if (await objectExists(id)) expect(await queueOf(id).read(mallory.id)).toBeUndefined()
  })
})
