import { describe, expect, it } from 'vitest'
import { TRIGGER_SOURCE_MAX_BYTES } from '../../../shared/limits.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { createTrigger, env, fire, type Owner, post, runOnce, someOwner, webhook } from '../app.ts'

const owner: Owner = await someOwner()
const create = (body: object) => {
  const { path, init } = post('/api/triggers', body)
  return owner.api(path, init)
}
const list = async (of: Owner): Promise<TriggerRecord[]> => (await of.api('/api/triggers')).json()
const indexed = (id: string) =>
  env.DB.prepare('SELECT * FROM triggers WHERE id = ?').bind(id).first()

describe('POST /api/triggers', () => {
  it('returns 201 with the record, location and defaults, and never the usage key', async () => {
    const response = await create(webhook({ usage_api_key: 'canary-usage-key' }))
    expect(response.status).toBe(201)
    const text = await response.text()
    const record: TriggerRecord = JSON.parse(text)
    expect(response.headers.get('location')).toBe(`/api/triggers/${record.id}`)
    expect(text).not.toContain('canary-usage-key')
    expect(record).toEqual({
      id: expect.stringMatching(/^[\w-]{32}$/),
      name: 'a webhook',
      kind: 'webhook',
      action_code: webhook().action_code,
      action_cid: expect.stringMatching(/^Qm\w{44}$/),
      default_params: {},
      max_runs_per_minute: 60,
      max_queued_runs: 10_000,
      config: {},
      options: {},
      enabled: true,
      webhook_url: `https://edge.test/webhook/${record.id}`,
      disabled_reason: null,
      waiting_for: null,
      stats: expect.objectContaining({ window: '24h', queued: 0 }),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: record.created_at,
    })
    expect(await (await owner.api(response.headers.get('location')!)).json()).toEqual(record)
  })

  it.each([
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: 5 }],
    ['kind', { kind: 'cron' }],
    ['config.contract_address', { kind: 'chain_event', config: { chain: 'ethereum' } }],
    ['action_code', { action_code: '' }],
    ['action_code', { action_code: 'x'.repeat(TRIGGER_SOURCE_MAX_BYTES + 1) }],
    ['default_params', { default_params: [] }],
    ['default_params', { default_params: { large: 'x'.repeat(256 * 1024) } }],
    ['usage_api_key', { usage_api_key: undefined }],
    ['usage_api_key', { usage_api_key: 'x'.repeat(257) }],
    ['max_runs_per_minute', { max_runs_per_minute: 0 }],
    ['max_runs_per_minute', { max_runs_per_minute: 6_001 }],
    ['max_runs_per_minute', { max_runs_per_minute: 1.5 }],
    ['max_runs_per_minute', { max_runs_per_minute: '60' }],
    ['max_queued_runs', { max_queued_runs: 0 }],
    ['max_queued_runs', { max_queued_runs: 10_001 }],
    ['config', { config: { cron: '* * * * *' } }],
    ['name', { name: null }],
    ['usage_api_key', { usage_api_key: null }],
    ['max_runs', { max_runs: null }],
    ['enabled', { enabled: 'true' }],
    ['max_runs', { max_runs: 5 }],
    ['usage_key', { usage_key: 'x' }],
  ])('returns 422 and names %s for %o', async (field, over) => {
    const response = await create(webhook(over))
    expect(response.status).toBe(422)
    const body: { error: string; message: string } = await response.json()
    expect(body.error).toBe('unprocessable_entity')
    expect(body.message).toContain(field)
  })

  it.each([
    { max_runs_per_minute: 1, max_queued_runs: 1 },
    { max_runs_per_minute: 6_000, max_queued_runs: 10_000, config: {} },
    { action_code: 'x'.repeat(TRIGGER_SOURCE_MAX_BYTES) },
  ])('accepts values at the limits', async (over) => {
    expect((await create(webhook(over))).status).toBe(201)
  })

  it.each(['', '{', 'nothing', '{"name":'])('returns 400 for invalid JSON: %j', async (body) => {
    const headers = { 'content-type': 'application/json' }
    const response = await owner.api('/api/triggers', { method: 'POST', body, headers })
    expect(response.status).toBe(400)
  })

  it.each(['null', '[]', '"text"', '5'])(
    'returns 422 for JSON that is not an object: %s',
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      const response = await owner.api('/api/triggers', { method: 'POST', body, headers })
      expect(response.status).toBe(422)
    },
  )

  it('returns 422 with the position of a syntax error in the source, and stores nothing', async () => {
    const mine = await someOwner()
    const { path, init } = post(
      '/api/triggers',
      webhook({ action_code: 'function main() {\n  retur 1\n}' }),
    )
    const response = await mine.api(path, init)
    expect(response.status).toBe(422)
    expect(response.headers.get('x-svc-error')).toBe('source_does_not_compile')
    expect(await response.json()).toMatchObject({
      error: 'unprocessable_entity',
      reason: 'source_does_not_compile',
      message: expect.stringMatching(/^action_code: .* \(line 2, column \d+\)\.$/),
      line: 2,
      column: expect.any(Number),
    })
    expect(await list(mine)).toEqual([])
  })

  it('JSON bomb: returns 422 for deeply nested default_params without crashing', async () => {
    const body = `{"name":"x","kind":"webhook","action_code":"x","usage_api_key":"x","default_params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`
    const headers = { 'content-type': 'application/json' }
    const response = await owner.api('/api/triggers', { method: 'POST', body, headers })
    expect(response.status).toBe(422)
  })
})

describe('GET /api/triggers', () => {
  it('returns an array of the caller’s triggers, newest first, without sources and keys', async () => {
    const [mine, other] = [await someOwner(), await someOwner()]
    expect(await list(mine)).toEqual([])
    const records = []
    for (const name of ['first', 'second', 'third']) {
      records.push(await createTrigger(mine, { name }))
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await createTrigger(other)
    const listed = await list(mine)
    expect(listed.map(({ name }) => name)).toEqual(['third', 'second', 'first'])
    const { action_code: _, waiting_for: __, stats: ___, ...rest } = records[2]!
    expect(listed[0]).toEqual(rest)
  })
})

describe('DELETE /api/triggers/:id', () => {
  it('returns 204 and deletes the record, history, sealed key and index row', async () => {
    const { id } = await createTrigger(owner)
    const run = await runOnce(owner, await fire(id))
    const gone = await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    expect([gone.status, await gone.text()]).toEqual([204, ''])
    for (const path of [`triggers/${id}`, `triggers/${id}/runs`, `runs/${run.id}`])
      expect((await owner.api(`/api/${path}`)).status).toBe(404)
    expect(await indexed(id)).toBeNull()
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(404)
  })
})
