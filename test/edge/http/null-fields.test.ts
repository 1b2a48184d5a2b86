import { beforeAll, describe, expect, it } from 'vitest'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import {
  createTrigger,
  edge,
  fire,
  type Owner,
  post,
  random,
  runOnce,
  someOwner,
  webhook,
} from '../app.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'

let owner: Owner
beforeAll(async () => {
  owner = await someOwner()
})

const send = (path: string, body: object, method = 'POST') =>
  owner.api(path, { ...post('', body).init, method })

const OPTIONS = {
  concurrency: null,
  dedup: null,
  finality: null,
  handshake: null,
  misfire: null,
  on_lost: null,
  pass_headers: null,
  respond: null,
  source: null,
}

describe('null in an optional field', () => {
  it('means the default at creation', async () => {
    const without = await createTrigger(owner)
    const record = await createTrigger(owner, {
      default_params: null,
      max_runs_per_minute: null,
      max_queued_runs: null,
      config: null,
      options: null,
      enabled: null,
      webhook_secret: null,
    })
    const { id, webhook_url, created_at, updated_at } = record
    expect(record).toEqual({ ...without, id, webhook_url, created_at, updated_at })
  })

  it('means the default of an option, next to other options', async () => {
    const record = await createTrigger(owner, { options: { ...OPTIONS, concurrency: 3 } })
    expect(record.options).toEqual({ concurrency: 3 })
  })

  it('changes nothing in PATCH, next to other fields', async () => {
    const before = await createTrigger(owner, {
      default_params: { kept: null },
      max_runs_per_minute: 7,
      max_queued_runs: 8,
      options: { concurrency: 3 },
    })
    const response = await send(
      `/api/triggers/${before.id}`,
      {
        name: null,
        kind: null,
        action_code: null,
        default_params: null,
        usage_api_key: null,
        max_runs_per_minute: null,
        max_queued_runs: null,
        config: null,
        options: null,
        enabled: false,
      },
      'PATCH',
    )
    expect(response.status).toBe(200)
    const after: TriggerRecord = await response.json()
    expect(after).toEqual({ ...before, enabled: false, updated_at: after.updated_at })
  })

  it('counts as absent in a preview, a replay and an agent request', async () => {
    const { id } = await createTrigger(owner)
    const { id: run } = await runOnce(owner, await fire(id))
    const config = { cron: '0 9 * * *' }
    const preview = { kind: 'schedule', config, default_params: null, options: null }
    expect((await send('/api/triggers/preview', preview)).status).toBe(200)
    expect((await send(`/api/runs/${run}/replay`, { code: null })).status).toBe(202)
    const request = { challenge: encodeBase64url(random(32)), label: 'agent', scopes: null }
    const { path, init } = post('/agent/requests', request)
    expect((await edge(path, init)).status).toBe(201)
  })

  it('is kept in params and events', async () => {
    const { id } = await createTrigger(owner, { default_params: { given: null } })
    const inputOf = async (body: object) => {
      const { run_id }: { run_id: string } = await (
        await send(`/api/triggers/${id}/test`, body)
      ).json()
      return (await runOnce(owner, run_id)).input
    }
    expect(await inputOf({ params: { also: null }, event: null })).toEqual({
      given: null,
      also: null,
    })
    expect(await inputOf({ params: null, event: null })).toMatchObject({ given: null, event: null })
  })

  it('is rejected in a required field', async () => {
    const response = await send('/api/triggers', webhook({ kind: null }))
    expect(response.status).toBe(422)
  })
})

describe('unknown query parameters', () => {
  it.each([
    ['/api/triggers', 'utm_source=mail&limit=5'],
    ['/api/triggers/ID/runs', 'stauts=ok&limit=5'],
    ['/api/runs/RUN', 'wait=0&_=1779455100'],
    ['/api/me', 'x='],
    ['/api/chains', 'x=1&x=2'],
  ])('are ignored by %s?%s', async (path, query) => {
    const { id } = await createTrigger(owner)
    const run = path.includes('RUN') ? await fire(id) : ''
    const url = `${path.replace('ID', id).replace('RUN', run)}?${query}`
    expect((await owner.api(url)).status).toBe(200)
  })
})
