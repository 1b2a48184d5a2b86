import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import { WILDCARD } from '../../../shared/cid/wildcard.ts'
import type { AccountsWriter } from '../../../origin/accounts/writer.ts'
import { addUsageApiKeyOperation } from '../../../origin/http/add-usage-api-key.ts'
import { addUsageApiKeyRequest } from '../../../shared/wire/usage-keys.ts'
import { NO_LIMITS } from '../../shared/no-limits.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

const CODE = 'async function main() { return 1 }'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
  await origin.group(key, { cid_hashes_permitted: [0] })
  await origin.group(key, {})
})
afterAll(() => origin.close())

const post = async (name: string, body: object, used = key) => {
  const answer = await origin.core(name, { key: used, body })
  return { status: answer.status, body: answer.body, code: answer.headers.get('x-svc-error') }
}
const list = async (used = key) => (await origin.core('list_api_keys', { key: used })).body
const row = async (usage: string) =>
  (await list()).find(({ id }: { id: string }) => id === origin.hashOf(usage))
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('list_api_keys', () => {
  it('shows every scope of a key, and nothing that could be used as a key', async () => {
    const scopes = {
      name: 'ci',
      description: 'deploys',
      can_create_groups: true,
      can_delete_groups: false,
      can_create_pkps: true,
      manage_ipfs_ids_in_groups: [1],
      add_pkp_to_groups: [2],
      remove_pkp_from_groups: [1, 2],
      execute_in_groups: [0],
    }
    const made = (await post('add_usage_api_key', scopes)).body
    const rows = await list()
    expect(rows).toContainEqual({
      id: made.usage_api_key_hash,
      api_key_hash: made.usage_api_key_hash,
      ...scopes,
      created_at: expect.stringMatching(RFC_3339),
      last_used_at: null,
      spend_cap_cents: null,
      spend_window_seconds: null,
      spent_cents: null,
      ...NO_LIMITS,
    })
    expect(JSON.stringify(rows)).not.toContain(made.usage_api_key)
  })

  it('shows when a key was created and last used', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000 - 60_000
    const usage = await origin.usageKey(key, { execute_in_groups: [1] })
    expect((await row(usage)).last_used_at).toBe(null)
    await origin.run(usage, CODE)
    const { created_at, last_used_at } = await row(usage)
    expect(Date.parse(created_at)).toBeGreaterThan(before)
    expect(last_used_at).toMatch(RFC_3339)
    expect(Date.now() - Date.parse(last_used_at)).toBeLessThan(60_000)
  })

  it('shows no key of another account, and returns pages', async () => {
    const account = await origin.account()
    expect(await list(account)).toEqual([])
    for (const name of ['a', 'b', 'c']) await origin.usageKey(account, { name })
    const { body, headers } = await origin.call(
      '/core/v1/list_api_keys?page_size=2&page_number=1',
      {
        key: account,
      },
    )
    expect([body.length, headers.get('x-total-count')]).toEqual([1, '3'])
  })
})

describe('update_usage_api_key', () => {
  it('changes the given fields, and keeps absent ones', async () => {
    const usage = await origin.usageKey(key, { name: 'n', ...EVERY_RIGHT })
    const before = await row(usage)
    for (const change of [
      { name: 'renamed' },
      { description: 'described' },
      { can_create_groups: false },
      { can_delete_groups: false },
      { can_create_pkps: false },
      { manage_ipfs_ids_in_groups: [1] },
      { add_pkp_to_groups: [2] },
      { remove_pkp_from_groups: [] },
      { execute_in_groups: [1, 2] },
    ]) {
      expect(await post('update_usage_api_key', { usage_api_key: usage, ...change })).toMatchObject(
        {
          status: 200,
          body: { success: true },
        },
      )
      Object.assign(before, change)
      expect(await row(usage)).toEqual(before)
    }
  })

  it('revokes a right at once', async () => {
    const usage = await origin.usageKey(key, { execute_in_groups: [1] })
    expect((await origin.run(usage, CODE)).status).toBe(200)
    await post('update_usage_api_key', { usage_api_key: usage, execute_in_groups: [] })
    expect((await origin.run(usage, CODE)).status).toBe(403)
  })

  it('returns 422 without a change, and 404 for an unknown key or group', async () => {
    const usage_api_key = await origin.usageKey(key, {})
    expect((await post('update_usage_api_key', { usage_api_key })).status).toBe(422)
    const unknown = { usage_api_key: 'nobody', name: 'x' }
    expect(await post('update_usage_api_key', unknown)).toMatchObject({
      status: 404,
      code: 'usage_api_key_does_not_exist',
    })
    const far = { usage_api_key, execute_in_groups: [99] }
    expect(await post('update_usage_api_key', far)).toMatchObject({
      status: 404,
      code: 'group_does_not_exist',
    })
  })
})

describe('remove_usage_api_key', () => {
  it.each([['usage_api_key'], ['api_key'], ['usage_api_key_hash'], ['api_key_hash']])(
    'accepts the key or its hash as %s',
    async (field) => {
      for (const named of [
        (text: string) => text,
        origin.hashOf,
        (text: string) => origin.hashOf(text).toUpperCase().replace('0X', '0x'),
      ]) {
        const usage = await origin.usageKey(key, {})
        expect((await post('remove_usage_api_key', { [field]: named(usage) })).status).toBe(200)
        expect((await origin.run(usage, CODE)).status).toBe(401)
        expect(await row(usage)).toBe(undefined)
      }
    },
  )

  it('accepts a key together with its own hash, and rejects it with the hash of another key', async () => {
    const [one, other] = [await origin.usageKey(key, {}), await origin.usageKey(key, {})]
    const both = (hash: string) => ({ usage_api_key: one, usage_api_key_hash: origin.hashOf(hash) })
    expect((await post('remove_usage_api_key', both(other))).status).toBe(400)
    expect((await post('remove_usage_api_key', both(one))).status).toBe(200)
  })

  it('returns 404 for a removed key, a key of another account, and the account key', async () => {
    const gone = await origin.usageKey(key, {})
    await post('remove_usage_api_key', { usage_api_key: gone })
    const theirs = await origin.usageKey(await origin.account(), { execute_in_groups: [0] })
    for (const usage_api_key of [gone, theirs, key])
      expect((await post('remove_usage_api_key', { usage_api_key })).status).toBe(404)
    expect((await origin.core('account_exists', { key: theirs })).body).toBe(true)
    expect((await origin.core('account_exists', { key })).body).toBe(true)
  })

  it('returns 422 without a key and 400 for a hash of the wrong length, and echoes no key', async () => {
    expect((await post('remove_usage_api_key', {})).status).toBe(422)
    expect((await post('remove_usage_api_key', { usage_api_key: '0xab12' })).status).toBe(400)
    const canary = 'canary-that-is-no-key'
    const answer = await post('remove_usage_api_key', { usage_api_key: canary })
    expect(JSON.stringify([answer.body, origin.logs])).not.toContain(canary)
  })
})

describe('attack: another account registers the hash of a new key before it is in a block', () => {
  /** An app in which another account front-runs the first `times` writes of this name. */
  async function forestalled(name: string, times: number) {
    const stranger = await origin.account()
    const { writer } = origin.services
    const permissions = ['squatted', '', false, false, false, [], [], [], []]
    let left = times
    const write: AccountsWriter['write'] = async (functionName, args, options) => {
      if (functionName === name && left-- > 0) {
        const hash = name === 'newAccount' ? args[0] : args[1]
        await writer.write('setUsageApiKey', [origin.hashOf(stranger), hash, permissions])
      }
      return writer.write(functionName, args, options)
    }
    return createOriginApp({ ...origin.services, writer: { write } as AccountsWriter })
  }

  it.each([
    ['add_usage_api_key', 'setUsageApiKey', 'usage_api_key', { name: 'k' }],
    ['rotate_account_api_key', 'rotateAccountApiKey', 'api_key', {}],
    ['new_account', 'newAccount', 'api_key', { account_name: 'a', account_description: '' }],
  ])('%s creates another key', async (name, functionName, field, body) => {
    const app = await forestalled(functionName, 2)
    const account = await origin.account()
    const answer = await origin.core(name, { app, key: account, body })
    expect(answer.status).toBe(200)
    expect((await origin.core('account_exists', { key: answer.body[field] })).body).toBe(true)
  })

  it('add_usage_api_key gives up after three, with 409', async () => {
    const app = await forestalled('setUsageApiKey', 3)
    const body = { name: 'k' }
    const answer = await origin.core('add_usage_api_key', { app, key, body })
    expect([answer.status, answer.headers.get('x-svc-error')]).toEqual([
      409,
      'usage_api_key_already_exists',
    ])
  })
})

describe('a new key, if its first response was lost together with its process', () => {
  it('is identified by its hash in a repeat, and no second key is created', async () => {
    const account = await origin.account()
    const { mirror } = origin.services
    const body = addUsageApiKeyRequest.parse({ name: 'once' })
    const writeId = crypto.randomUUID()
    const audit = () => undefined
    const make = () => {
      const principal = mirror.current().principal(origin.hashOf(account))!
      return addUsageApiKeyOperation.handle(
        { principal, body, writeId, audit } as any,
        origin.services,
      )
    }
    const first: any = await make()
    await expect(make()).rejects.toMatchObject({
      name: 'KeyAlreadyShownError',
      keyHash: first.usage_api_key_hash,
    })
    expect(await list(account)).toHaveLength(1)
  })
})

describe('a wildcard in the groups of a key', () => {
  it('is 0, and not a hash', async () => {
    const body = { name: 'k', execute_in_groups: [WILDCARD] }
    expect((await post('add_usage_api_key', body)).status).toBe(400)
  })

  it('includes groups that are created later', async () => {
    const account = await origin.account()
    const usage = await origin.usageKey(account, { execute_in_groups: [0] })
    expect((await origin.run(usage, CODE)).status).toBe(403)
    await origin.group(account, { cid_hashes_permitted: [0] })
    expect((await origin.run(usage, CODE)).status).toBe(200)
  })
})
