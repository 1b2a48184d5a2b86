import { afterEach, describe, expect, it, vi } from 'vitest'
import type { StoredTrigger } from '../../../shared/wire/trigger.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import {
  createTrigger,
  fire,
  type Owner,
  post,
  runOnce,
  seen,
  someOwner,
  sql,
  unknownTriggerId,
  webhook,
} from '../app.ts'
import { between } from './front-harness.ts'

const owner: Owner = await someOwner()
const { usage_api_key: _key, ...fields } = webhook()
const create = (over: object, by = owner) => {
  const { path, init } = post('/api/triggers', { ...fields, ...over })
  return by.api(path, init)
}
const sealedKeyOf = async (id: string) => {
  const [row] = await sql<{ sealed: ArrayBuffer }>(id, 'SELECT sealed FROM usage_keys')
  return Buffer.from(row!.sealed).toString('hex')
}
const rejectionOf = async (response: Response) => {
  const { message } = await response.json<{ message: string }>()
  return { status: response.status, message }
}
const NOT_YOURS = { status: 422, message: 'usage_key_of: you have no trigger with this ID.' }
afterEach(() => vi.restoreAllMocks())

describe('a trigger with the usage key of another trigger', () => {
  it('runs with this key, which is sealed for the new trigger', async () => {
    const first = await createTrigger(owner, { usage_api_key: 'usage-shared' })
    const response = await create({ usage_key_of: first.id })
    expect(response.status).toBe(201)
    const { id, warnings }: StoredTrigger = await response.json()
    expect(warnings).toBeUndefined()
    const run = await runOnce(owner, await fire(id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'usage-shared' }])
    expect(await sealedKeyOf(id)).not.toBe(await sealedKeyOf(first.id))
  })

  it('keeps the key if the other trigger is deleted or gets another key', async () => {
    const first = await createTrigger(owner, { usage_api_key: 'usage-kept' })
    const { id }: StoredTrigger = await (await create({ usage_key_of: first.id })).json()
    const { init } = post('', { usage_api_key: 'usage-changed' })
    await owner.api(`/api/triggers/${first.id}`, { ...init, method: 'PATCH' })
    await owner.api(`/api/triggers/${first.id}`, { method: 'DELETE' })
    const run = await runOnce(owner, await fire(id))
    expect(await seen(run.id)).toMatchObject([{ usageKey: 'usage-kept' }])
  })

  it('is created with a warning if the key is not permitted to run the action', async () => {
    const first = await createTrigger(owner, { usage_api_key: 'forbidden-1' })
    const response = await create({ usage_key_of: first.id })
    expect(response.status).toBe(201)
    const { action_cid, warnings }: StoredTrigger = await response.json()
    expect(warnings).toEqual([expect.stringContaining(`execute ${action_cid}`)])
  })

  it('needs exactly one of usage_api_key and usage_key_of', async () => {
    const { id } = await createTrigger(owner)
    expect(await rejectionOf(await create({}))).toEqual({
      status: 422,
      message: 'usage_api_key: required, unless usage_key_of is set',
    })
    const both = { usage_api_key: 'usage-1', usage_key_of: id }
    expect(await rejectionOf(await create(both))).toEqual({
      status: 422,
      message: 'usage_key_of: cannot be combined with usage_api_key',
    })
  })

  it('is not created while the origin is unreachable', async () => {
    const { id } = await createTrigger(owner)
    between((request, send) =>
      new URL(request.url).pathname === SEALED_KEYS_PATH
        ? Promise.reject(new Error('refused'))
        : send(request),
    )
    expect((await create({ usage_key_of: id })).status).toBe(503)
  })

  it('is not created if an older origin does not seal the key', async () => {
    const { id } = await createTrigger(owner, { usage_api_key: 'older-1' })
    expect((await create({ usage_key_of: id })).status).toBe(503)
  })
})

describe('attacks on usage_key_of', () => {
  it('foreign trigger: its key is not used, and the origin is not asked', async () => {
    const { id } = await createTrigger(await someOwner())
    const left = between()
    expect(await rejectionOf(await create({ usage_key_of: id }))).toEqual(NOT_YOURS)
    expect(left).toEqual([])
  })

  it('probing IDs: deleted, unknown and malformed IDs get the response of foreign ones', async () => {
    const deleted = await createTrigger(owner)
    await owner.api(`/api/triggers/${deleted.id}`, { method: 'DELETE' })
    for (const id of [deleted.id, await unknownTriggerId(), 'A'.repeat(32), '', '../x'])
      expect([id, await rejectionOf(await create({ usage_key_of: id }))]).toEqual([id, NOT_YOURS])
  })

  it('moved key: a sealed key of another user in an own trigger cannot be sealed again', async () => {
    const victim = await createTrigger(await someOwner(), { usage_api_key: 'usage-victim' })
    const own = await createTrigger(owner)
    await sql(own.id, `UPDATE usage_keys SET sealed = x'${await sealedKeyOf(victim.id)}'`)
    expect((await create({ usage_key_of: own.id })).status).toBe(503)
  })

  it.each([
    ['removed', 'unknown-1', 'was removed'],
    ['expired', 'expired-1', 'has expired'],
  ])('%s key: gets no new trigger', async (_, usage_api_key, problem) => {
    const { id } = await createTrigger(owner, { usage_api_key })
    expect(await rejectionOf(await create({ usage_key_of: id }))).toEqual({
      status: 422,
      message: `usage_key_of: the usage key of this trigger ${problem}.`,
    })
  })

  it('read-only token: gets 403, and the origin is not asked', async () => {
    const reader = await someOwner({ scopes: ['triggers:read'] })
    const left = between()
    const { id } = await createTrigger(owner)
    const before = left.length
    expect((await create({ usage_key_of: id }, reader)).status).toBe(403)
    expect(left).toHaveLength(before)
  })

  it('stolen edge: the key is in no response and no log', async () => {
    const logs = (['debug', 'info', 'warn', 'error', 'log'] as const).map((level) =>
      vi.spyOn(console, level),
    )
    const canary = `usage-${crypto.randomUUID()}`
    const { id } = await createTrigger(owner, { usage_api_key: canary })
    const text = await (await create({ usage_key_of: id })).text()
    expect(text).not.toContain(canary)
    expect(JSON.stringify(logs.map((log) => log.mock.calls))).not.toContain(canary)
  })
})
