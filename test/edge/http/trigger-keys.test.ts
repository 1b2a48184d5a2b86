import { listDurableObjectIds } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { StoredTrigger } from '../../../shared/wire/trigger.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import {
  createTrigger,
  env,
  fire,
  type Owner,
  post,
  runOnce,
  seen,
  someOwner,
  webhook,
} from '../app.ts'
import { between } from './front-harness.ts'

const owner: Owner = await someOwner()
const create = (over: object) => {
  const { path, init } = post('/api/triggers', webhook(over))
  return owner.api(path, init)
}
const patch = (id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })
const objects = async () => (await listDurableObjectIds(env.TRIGGER_QUEUE)).length
afterEach(() => vi.restoreAllMocks())

describe('an account key in a trigger', () => {
  it('a stolen edge: it is refused at creation, and nothing is stored', async () => {
    const before = await objects()
    const response = await create({ usage_api_key: 'account-canary' })
    expect(response.status).toBe(422)
    const text = await response.text()
    const { message, fix } = JSON.parse(text) as { message: string; fix: string }
    expect(message).toMatch(/^usage_api_key: /)
    expect(fix).toContain('add_usage_api_key')
    expect(text).not.toContain('canary')
    expect(await objects()).toBe(before)
  })

  it('a stolen edge: it is refused by a PATCH, and nothing of it is changed', async () => {
    const trigger = await createTrigger(owner, { usage_api_key: 'usage-first' })
    const response = await patch(trigger.id, { name: 'other', usage_api_key: 'account-canary' })
    expect(response.status).toBe(422)
    expect(await (await owner.api(`/api/triggers/${trigger.id}`)).json()).toEqual(trigger)
    const run = await runOnce(owner, await fire(trigger.id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'usage-first' }])
  })
})

describe('a key that could not run the action now', () => {
  it.each([
    ['unknown-1', '401'],
    ['forbidden-1', '403'],
  ])('%s is taken, with a warning that tells of %s and is not stored', async (key, status) => {
    const created = await create({ usage_api_key: key })
    expect(created.status).toBe(201)
    const { warnings, ...record }: StoredTrigger = await created.json()
    expect(warnings).toEqual([expect.stringMatching(/^usage_api_key: /)])
    expect(warnings![0]).toContain(status)
    expect(await (await owner.api(`/api/triggers/${record.id}`)).json()).toEqual(record)

    const changed = await patch(record.id, { usage_api_key: key })
    expect(changed.status).toBe(200)
    expect((await changed.json<StoredTrigger>()).warnings).toHaveLength(1)
    const good = await patch(record.id, { usage_api_key: 'usage-1' })
    expect(await good.json()).not.toHaveProperty('warnings')
  })
})

describe('an origin that is away', () => {
  const away = () =>
    between((request, send) =>
      new URL(request.url).pathname === SEALED_KEYS_PATH
        ? Promise.reject(new Error('refused'))
        : send(request),
    )

  it('creation: 503 with Retry-After, and nothing is stored', async () => {
    const before = await objects()
    away()
    const response = await create({})
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.json()).toMatchObject({ error: 'service_unavailable' })
    expect(await objects()).toBe(before)
  })

  it('PATCH of a key: 503 and nothing is changed; without a key nobody asks the origin', async () => {
    const trigger = await createTrigger(owner)
    away()
    expect((await patch(trigger.id, { usage_api_key: 'usage-1', name: 'other' })).status).toBe(503)
    expect(await (await owner.api(`/api/triggers/${trigger.id}`)).json()).toEqual(trigger)
    expect((await patch(trigger.id, { enabled: false })).status).toBe(200)
  })
})

it('an oracle for keys: a PATCH of somebody else’s trigger asks the origin nothing', async () => {
  const { id } = await createTrigger(await someOwner())
  const left = between()
  expect((await patch(id, { usage_api_key: 'account-1' })).status).toBe(404)
  expect(left).toEqual([])
})
