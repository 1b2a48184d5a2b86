import { id } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const CODE = 'async function main() { return 1 }'
const KEYED = [
  { name: 'create_wallet', body: {} },
  { name: 'add_group', body: { name: 'g' } },
  { name: 'add_usage_api_key', body: { name: 'k' } },
  { name: 'svc_action', body: { code: CODE } },
]

describe.each(KEYED)('$name', ({ name, body }) => {
  it('returns 401 without a key, before reading the body', async () => {
    const answer = await origin.core(name, { text: 'not json' })
    expect(answer.status).toBe(401)
    expect(answer.body.error).toBe('unauthorized')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each([
    ['of nobody', () => 'bm9ib2R5bm9ib2R5bm9ib2R5bm9ib2R5bm9ib2R5bm9='],
    ['that was cut', () => key.slice(0, -1)],
    ['with one character more', () => `${key}x`],
    ['in another case', () => key.toLowerCase()],
    ['that is the hash of one', () => id(key)],
    ['of bytes that are no text', () => '\u00ff\u00fe'],
    ['twice in one header', () => `${key}, ${key}`],
  ])('returns 401 for a key %s', async (_what, make) => {
    const answer = await origin.core(name, { key: make(), body })
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  })

  it('accepts the key as a bearer token too', async () => {
    const headers = { authorization: `Bearer ${key}` }
    expect((await origin.core(name, { headers, body })).status).toBe(200)
  })
})

describe('the key of a request', () => {
  const who = async (headers: Record<string, string>) =>
    (await origin.core('svc_action', { headers, body: { code: CODE } })).status

  it('is the bearer token if X-Api-Key is sent as well', async () => {
    expect(await who({ authorization: `Bearer ${key}`, 'x-api-key': 'nobody' })).toBe(200)
    expect(await who({ authorization: 'Bearer nobody', 'x-api-key': key })).toBe(401)
  })

  it('is X-Api-Key if the Authorization header contains no bearer token', async () => {
    expect(await who({ authorization: 'Basic YTpi', 'x-api-key': key })).toBe(200)
    expect(await who({ authorization: 'Bearer ', 'x-api-key': key })).toBe(200)
  })

  it('is accepted with a scheme in any case, and never from the query', async () => {
    expect(await who({ authorization: `bearer ${key}` })).toBe(200)
    const body = { code: CODE }
    const query = `/core/v1/svc_action?api_key=${encodeURIComponent(key)}`
    expect((await origin.call(query, { body })).status).toBe(401)
  })
})

describe('a usage key', () => {
  it('runs what its group permits, and nothing else', async () => {
    const account = await origin.account()
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: CODE })).body
    await origin.group(account, { cid_hashes_permitted: [id(cid)] })
    const usage = await origin.usageKey(account, { execute_in_groups: [1] })
    expect((await origin.run(usage, CODE)).status).toBe(200)
    const refused = await origin.run(usage, `${CODE} `)
    expect([refused.status, refused.body.error]).toEqual([403, 'forbidden'])
    expect(refused.body.message).toMatch(/Qm[1-9A-HJ-NP-Za-km-z]{44}/)
  })

  it('runs nothing in a group that it does not list, even if the group permits everything', async () => {
    const account = await origin.account()
    await origin.group(account, {})
    await origin.group(account, { cid_hashes_permitted: [0], pkp_ids_permitted: [] })
    const usage = await origin.usageKey(account, { execute_in_groups: [1] })
    expect((await origin.run(usage, CODE)).status).toBe(403)
    expect((await origin.run(await origin.usageKey(account, {}), CODE)).status).toBe(403)
  })

  it('with [0] runs any action of any group, and gets a hint for an action that is in no group', async () => {
    const account = await origin.account()
    const usage = await origin.usageKey(account, { execute_in_groups: [0] })
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: CODE })).body
    const refused = await origin.run(usage, CODE)
    expect([refused.status, refused.body.error]).toEqual([403, 'forbidden'])
    expect(refused.body.message).toBe(
      `The key can run every action that a group of the account permits, but no group permits ${cid}.`,
    )
    expect(refused.body.fix).toContain('Add the action to a group of the account')
    await origin.group(account, { cid_hashes_permitted: [id(cid)] })
    expect((await origin.run(usage, CODE)).status).toBe(200)

    const listing = await origin.usageKey(account, { execute_in_groups: [1] })
    const other = await origin.run(listing, `${CODE} `)
    expect([other.status, other.body.fix]).toEqual([
      403,
      expect.stringContaining('lists in execute_in_groups'),
    ])
  })

  it('runs nothing of another account', async () => {
    const [mine, theirs] = [await origin.account(), await origin.account()]
    await origin.group(theirs, { cid_hashes_permitted: [0] })
    await origin.group(mine, {})
    const usage = await origin.usageKey(mine, { execute_in_groups: [0] })
    expect((await origin.run(usage, CODE)).status).toBe(403)
  })
})

describe('a rejection by the contract', () => {
  const refusing = async (name: string) => {
    const app = origin.appThatCannotWrite(new ContractRevertError(name))
    const body = { account_name: 'a', account_description: '' }
    const answer = await origin.core('new_account', { app, body })
    return [answer.status, answer.headers.get('x-svc-error'), typeof answer.body]
  }

  it.each([
    ['AccountDoesNotExist', 404, 'account_does_not_exist', 'string'],
    ['GroupDoesNotExist', 404, 'group_does_not_exist', 'string'],
    ['NoAccountAccess', 403, 'no_account_access', 'object'],
    ['NotMasterAccount', 403, 'not_master_account', 'object'],
    ['AccountAlreadyExists', 409, 'account_already_exists', 'string'],
    ['UsageApiKeyAlreadyExists', 409, 'usage_api_key_already_exists', 'string'],
    ['ApiKeyHashAlreadyRevoked', 409, 'api_key_hash_already_revoked', 'string'],
    ['InvalidRequest', 400, 'invalid_request', 'string'],
    ['TooManyIds', 400, 'too_many_ids', 'string'],
    ['SomethingNew', 400, 'something_new', 'string'],
  ])('%s is %d with the code %s', async (name, status, code, shape) => {
    expect(await refusing(name)).toEqual([status, code, shape])
  })
})
