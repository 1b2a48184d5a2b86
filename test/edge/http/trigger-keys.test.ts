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
  script,
  seen,
  someOwner,
  sql,
  success,
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
const isAboutKeys = ({ url }: Request) => new URL(url).pathname === SEALED_KEYS_PATH
/** Makes the origin unreachable for checks of keys. */
const away = () =>
  between((request, send) =>
    isAboutKeys(request) ? Promise.reject(new Error('refused')) : send(request),
  )
afterEach(() => vi.restoreAllMocks())

describe('an account key in a trigger', () => {
  it('stolen edge: is rejected at creation, and nothing is stored', async () => {
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

  it('stolen edge: is rejected by PATCH, and nothing is changed', async () => {
    const trigger = await createTrigger(owner, { usage_api_key: 'usage-first' })
    const response = await patch(trigger.id, { name: 'other', usage_api_key: 'account-canary' })
    expect(response.status).toBe(422)
    expect(await (await owner.api(`/api/triggers/${trigger.id}`)).json()).toEqual(trigger)
    const run = await runOnce(owner, await fire(trigger.id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'usage-first' }])
  })
})

describe('a key that cannot run the action now', () => {
  it.each([
    ['unknown-1', '401'],
    ['forbidden-1', '403'],
  ])('%s is accepted with a warning about %s that is not stored', async (key, status) => {
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

describe('a new action under the stored key', () => {
  const other = { action_code: `${script(success())} ` }

  it('is saved with a warning if the key cannot run it now', async () => {
    const trigger = await createTrigger(owner, { usage_api_key: 'forbidden-1' })
    const changed: StoredTrigger = await (await patch(trigger.id, other)).json()
    expect(changed.action_cid).not.toBe(trigger.action_cid)
    expect(changed.warnings).toEqual([
      expect.stringContaining(`execute ${changed.action_cid}. Until`),
    ])
    expect(changed.warnings![0]).toContain('403')
  })

  it('is saved without a warning if the key can run it, or if the action is unchanged', async () => {
    const trigger = await createTrigger(owner, { usage_api_key: 'usage-1' })
    const left = between()
    expect(await (await patch(trigger.id, other)).json()).not.toHaveProperty('warnings')
    expect(left.filter(isAboutKeys)).toHaveLength(1)
    expect(await (await patch(trigger.id, other)).json()).not.toHaveProperty('warnings')
    expect(left.filter(isAboutKeys)).toHaveLength(1)
  })

  it('moved key: a sealed key of another trigger reveals nothing about itself', async () => {
    const [one, two] = [await createTrigger(owner), await createTrigger(owner)]
    const [{ sealed }] = (await sql<{ sealed: ArrayBuffer }>(
      one.id,
      'SELECT sealed FROM usage_keys',
    )) as [{ sealed: ArrayBuffer }]
    const hex = Buffer.from(sealed).toString('hex')
    await sql(two.id, `UPDATE usage_keys SET sealed = x'${hex}'`)
    const left = between()
    const { warnings }: StoredTrigger = await (await patch(two.id, other)).json()
    expect(left.filter(isAboutKeys)).toHaveLength(1)
    expect(warnings).toEqual([expect.stringContaining('could not check whether the key')])
  })

  it('is saved if the origin is unreachable, with a warning that the key was not checked', async () => {
    const { id } = await createTrigger(owner)
    const left = away()
    const { warnings, ...record }: StoredTrigger = await (await patch(id, other)).json()
    expect(left.filter(isAboutKeys)).toHaveLength(1)
    expect(warnings).toEqual([expect.stringContaining('could not check whether the key')])
    expect(record.action_code).toBe(other.action_code)
    expect(await (await owner.api(`/api/triggers/${id}`)).json()).toEqual(record)
  })
})

describe('an unreachable origin', () => {
  it('creation: returns 503 with Retry-After, and nothing is stored', async () => {
    const before = await objects()
    away()
    const response = await create({})
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.json()).toMatchObject({ error: 'service_unavailable' })
    expect(await objects()).toBe(before)
  })

  it('PATCH: returns 503 for a new key and changes nothing; other changes do not need the origin', async () => {
    const trigger = await createTrigger(owner)
    away()
    expect((await patch(trigger.id, { usage_api_key: 'usage-1', name: 'other' })).status).toBe(503)
    expect(await (await owner.api(`/api/triggers/${trigger.id}`)).json()).toEqual(trigger)
    expect((await patch(trigger.id, { enabled: false })).status).toBe(200)
  })
})

it('key oracle: a PATCH of a foreign trigger sends nothing to the origin', async () => {
  const { id } = await createTrigger(await someOwner())
  const left = between()
  expect((await patch(id, { usage_api_key: 'account-1' })).status).toBe(404)
  expect((await patch(id, { action_code: script(success('other')) })).status).toBe(404)
  expect(left).toEqual([])
})
