import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyText } from '../../any-text.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const CODE = 'async function main() { return 1 }'
const WORD = `0x${'ab'.repeat(32)}`
const LONE = 'lone \ud800 surrogate'
const ACCOUNT = { account_name: 'a', account_description: '' }

describe('a field that is missing or of the wrong type returns 422 with its name', () => {
  it.each<[string, object, string]>([
    ['new_account', { account_description: '' }, 'account_name'],
    ['new_account', { account_name: 'a' }, 'account_description'],
    ['new_account', { ...ACCOUNT, account_name: 5 }, 'account_name'],
    ['new_account', { ...ACCOUNT, email: 5 }, 'email'],
    ['new_account', { ...ACCOUNT, account_description: null }, 'account_description'],
    ['create_wallet', { name: 5 }, 'name'],
    ['create_wallet', { description: [] }, 'description'],
    ['add_group', {}, 'group_name'],
    ['add_group', { group_name: null }, 'group_name'],
    ['add_group', { name: 'a', pkp_ids_permitted: WORD }, 'pkp_ids_permitted'],
    ['add_group', { name: 'a', pkp_ids_permitted: [WORD, 5] }, 'pkp_ids_permitted[1]'],
    ['add_group', { name: 'a', cid_hashes_permitted: [0, true] }, 'cid_hashes_permitted[1]'],
    ['add_group', { name: 'a', cid_hashes_permitted: [null] }, 'cid_hashes_permitted[0]'],
    ['add_usage_api_key', {}, 'name'],
    ['add_usage_api_key', { name: 'a', can_create_pkps: 'yes' }, 'can_create_pkps'],
    ['add_usage_api_key', { name: 'a', execute_in_groups: 0 }, 'execute_in_groups'],
    ['add_usage_api_key', { name: 'a', execute_in_groups: [[]] }, 'execute_in_groups[0]'],
    ['svc_action', {}, 'code'],
    ['svc_action', { code: {} }, 'code'],
    ['svc_action', { code: CODE, js_params: [] }, 'js_params'],
  ])('%s %j', async (name, body, field) => {
    const answer = await origin.core(name, { key, body })
    expect([answer.status, answer.body.error]).toEqual([422, 'unprocessable_entity'])
    expect(answer.body.message).toContain(`${field}:`)
  })
})

describe('an invalid value returns 400 with the name of the field', () => {
  it.each<[string, object, string]>([
    ['new_account', { ...ACCOUNT, account_name: '' }, 'account_name'],
    ['new_account', { ...ACCOUNT, account_name: 'x'.repeat(257) }, 'account_name'],
    ['new_account', { ...ACCOUNT, account_name: LONE }, 'account_name'],
    ['new_account', { ...ACCOUNT, account_description: LONE }, 'account_description'],
    ['new_account', { ...ACCOUNT, account_description: 'x'.repeat(257) }, 'account_description'],
    ['new_account', { ...ACCOUNT, email: '' }, 'email'],
    ['new_account', { ...ACCOUNT, email: 'ada' }, 'email'],
    ['new_account', { ...ACCOUNT, email: 'a da@example.com' }, 'email'],
    ['new_account', { ...ACCOUNT, email: `${'a'.repeat(320)}@example.com` }, 'email'],
    ['add_group', { name: 'a', description: 'x'.repeat(1_025) }, 'description'],
    ['create_wallet', { name: LONE }, 'name'],
    ['add_group', { name: 'a', pkp_ids_permitted: ['0x12'] }, 'pkp_ids_permitted[0]'],
    ['add_group', { name: 'a', pkp_ids_permitted: [`${WORD}00`] }, 'pkp_ids_permitted[0]'],
    ['add_group', { name: 'a', pkp_ids_permitted: [WORD.slice(2)] }, 'pkp_ids_permitted[0]'],
    ['add_group', { name: 'a', cid_hashes_permitted: [1] }, 'cid_hashes_permitted[0]'],
    ['add_group', { name: 'a', cid_hashes_permitted: ['Qm'] }, 'cid_hashes_permitted[0]'],
    ['add_group', { name: 'a', cid_hashes_permitted: Array(51).fill(0) }, 'cid_hashes_permitted'],
    ['add_usage_api_key', { name: 'a', execute_in_groups: [-1] }, 'execute_in_groups[0]'],
    ['add_usage_api_key', { name: 'a', execute_in_groups: [1.5] }, 'execute_in_groups[0]'],
    ['add_usage_api_key', { name: 'a', execute_in_groups: ['01'] }, 'execute_in_groups[0]'],
    ['add_usage_api_key', { name: 'a', execute_in_groups: ['1e3'] }, 'execute_in_groups[0]'],
    ['add_usage_api_key', { name: 'a', execute_in_groups: [1e300] }, 'execute_in_groups[0]'],
    [
      'add_usage_api_key',
      { name: 'a', execute_in_groups: ['9999999999999999'] },
      'execute_in_groups[0]',
    ],
    ['svc_action', { code: `${CODE}//${LONE}` }, 'code'],
  ])('%s %j', async (name, body, field) => {
    const answer = await origin.core(name, { key, body })
    expect([answer.status, answer.body.error]).toEqual([400, 'bad_request'])
    expect(answer.body.message).toContain(`${field}:`)
  })

  it('params nested too deeply to be serialized', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const text = `{"code":${JSON.stringify(CODE)},"js_params":{"a":${deep}}}`
    const answer = await origin.core('svc_action', { key, text })
    expect([answer.status, answer.body.error]).toEqual([400, 'bad_request'])
  })
})

describe('sizes', () => {
  it('accepts a description of 256 characters for an account, and of 1,024 for a group', async () => {
    const opened = { ...ACCOUNT, account_description: 'ü'.repeat(256) }
    expect((await origin.core('new_account', { body: opened })).status).toBe(200)
    const group = { name: 'long', description: 'ü'.repeat(1_024) }
    expect((await origin.core('add_group', { key, body: group })).status).toBe(200)
  })

  it('returns 413 for a source above 16 MiB and for params above 8 MiB', async () => {
    const source = { code: `//${'x'.repeat(16 * 1024 * 1024)}` }
    const params = { code: CODE, js_params: { a: 'é'.repeat(4 * 1024 * 1024) } }
    for (const body of [source, params]) {
      const answer = await origin.core('svc_action', { key, body })
      expect([answer.status, answer.body.error]).toEqual([413, 'payload_too_large'])
    }
  })
})

describe('get_svc_action_ipfs_id', () => {
  const cid = async (source: string) =>
    (await origin.core('get_svc_action_ipfs_id', { body: source })).body

  it.each([
    ['', 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'],
    ['a'.repeat(262_144), 'Qma81h2ZqbvJW2EQkiVUZ17aSvNWqAtvUPhh8mQBPU8W7c'],
    ['a'.repeat(262_145), 'QmTaxvXcxpzzaatSEEAYr7t3knkJ6DmTVbr8MjJJWLRWpV'],
    ['a'.repeat(2 ** 20), 'QmNecXLe3tMEdoo992NpHrcXwtbvieS1KhNmrv2iE2VBBN'],
  ])('of %.10s... is %s', async (source, expected) => {
    expect(await cid(source)).toBe(expected)
  })

  it('differs for one more byte', async () => {
    expect(await cid(CODE)).not.toBe(await cid(`${CODE} `))
  })

  it('two texts with one CID: rejects a lone surrogate, which would be encoded like U+FFFD', async () => {
    expect(await cid('"\ufffd"')).toMatch(/^Qm/)
    const answer = await origin.core('get_svc_action_ipfs_id', { body: '"\ud800"' })
    expect(answer.status).toBe(400)
  })
})

describe('no input causes a 500', () => {
  const text = fc.oneof(anyText(), fc.constant(LONE), fc.constant('\0'))
  const number = fc.oneof(
    fc.double(),
    fc.maxSafeInteger(),
    fc.constantFrom(0, -0, 2 ** 53, 1e300, -1),
  )
  const word = fc.constantFrom(WORD, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(40)}`, '0', '0x0', '0x')
  const digits = fc.stringMatching(/^[0-9]{1,20}$/)
  const scalar = fc.oneof(text, number, word, digits, fc.boolean(), fc.constant(null))
  const anything = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.jsonValue())
  const bodyOf = (...fields: string[]) =>
    fc.record(Object.fromEntries(fields.map((field) => [field, anything])), { requiredKeys: [] })
  const valid = { name: 'a', account_name: 'a', account_description: '', code: CODE }

  it.each<[string, fc.Arbitrary<object>]>([
    ['new_account', bodyOf('account_name', 'account_description', 'email')],
    ['create_wallet', bodyOf('name', 'description')],
    ['add_group', bodyOf('group_name', 'name', 'pkp_ids_permitted', 'cid_hashes_permitted')],
    [
      'add_usage_api_key',
      bodyOf('name', 'description', 'can_create_groups', 'execute_in_groups', 'add_pkp_to_groups'),
    ],
    ['svc_action', bodyOf('js_params')],
  ])('%s', async (name, fields) => {
    await fc.assert(
      fc.asyncProperty(fields, fc.boolean(), async (given, complete) => {
        const body = complete ? { ...valid, ...given } : given
        const { status } = await origin.core(name, { key, body })
        expect([200, 400, 404, 422]).toContain(status)
      }),
      { numRuns: 60 },
    )
  })

  it('a key of any characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[\t -~\u0080-\u00ff]*$/), async (sent) => {
        const { status } = await origin.core('svc_action', { key: sent, body: { code: CODE } })
        expect(status).toBe(401)
      }),
    )
  })
})
