/** Requests of the edge whose credential is a usage key that is stored for an account link. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import { SEALED_KEY_STATES_PATH } from '../../../shared/wire/sealed-key-states.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, storedKey } from './runs-client.ts'
import { passOn, sealHttp, sendHttp } from './sealed-http-client.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

const OWNER = 'owner'
const TRIGGER_ID = 'T'.repeat(32)
const newLinkId = () => `acct_${randomBytes(16).toString('base64url')}`

let origin: TestOrigin
let key: string
let usage: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
  usage = await origin.usageKey(key, { ...EVERY_RIGHT, can_read_account: true })
  await origin.group(key, { cid_hashes_permitted: [0] })
})
afterAll(() => origin.close())

async function linkKey(text: string, linkId = newLinkId(), ownerId = OWNER) {
  const sealed_usage_key = await origin.sealKey(text, { linkId, ownerId })
  return { sealed_usage_key, link_id: linkId, owner_id: ownerId }
}
const read = (stored_key: object, headers: [string, string][] = []) =>
  passOn(origin, { path: '/core/v1/list_groups', headers, head: { stored_key } })

describe('a request with the key of a link', () => {
  it('is executed as if the key were in the header', async () => {
    const stored = await linkKey(usage)
    expect(await read(stored)).toMatchObject({ status: 200, body: [{ group_id: 1 }] })
    const run = await passOn(origin, {
      method: 'POST',
      path: '/core/v1/svc_action',
      headers: [['content-type', 'application/json']],
      body: JSON.stringify({ code: 'function main() { return 7 }' }),
      head: { stored_key: stored },
    })
    expect(run).toMatchObject({ status: 200, body: { response: 7 } })
  })

  it('has the rights and limits of the key, and no others', async () => {
    const bare = await linkKey(await origin.usageKey(key, {}))
    expect((await read(bare)).status).toBe(403)
    const removed = await origin.usageKey(key, EVERY_RIGHT)
    await origin.core('remove_usage_api_key', { key, body: { usage_api_key: removed } })
    expect((await read(await linkKey(removed))).status).toBe(401)
  })

  it('is in the audit log under its usage key', async () => {
    const mine = await origin.usageKey(key, { ...EVERY_RIGHT, can_read_account: true })
    await passOn(origin, {
      method: 'POST',
      path: '/core/v1/create_wallet',
      head: { stored_key: await linkKey(mine) },
    })
    const { body } = await origin.core('audit_log?page_number=0&page_size=1', { key })
    expect(body.entries).toMatchObject([
      {
        operation: 'create_wallet',
        actor: { kind: 'usage_key', id: origin.hashOf(mine).slice(0, 18) },
      },
    ])
  })
})

describe('attacks on the keys of links', () => {
  const NOT_OPENED = { state: 'refused', status: 400 }

  it('moved key: opens for no other link and no other owner', async () => {
    const stored = await linkKey(usage)
    expect(await read({ ...stored, link_id: newLinkId() })).toMatchObject(NOT_OPENED)
    expect(await read({ ...stored, owner_id: 'another' })).toMatchObject(NOT_OPENED)
    expect((await read(stored)).status).toBe(200)
  })

  it('other purpose: the key of a trigger cannot be used for a link, even with the same ID', async () => {
    const ofTrigger = await storedKey(origin, usage, TRIGGER_ID)
    const moved = { ...ofTrigger, link_id: newLinkId(), trigger_id: undefined }
    expect(await read(moved)).toMatchObject(NOT_OPENED)
    const linkId = newLinkId()
    const sealed = await origin.sealKey(usage, { triggerId: linkId, ownerId: OWNER })
    const asLink = { sealed_usage_key: sealed, link_id: linkId, owner_id: OWNER }
    expect(await read(asLink)).toMatchObject(NOT_OPENED)
  })

  it('other purpose: the key of a link runs no trigger, and has no state as one', async () => {
    const sealed = await origin.sealKey(usage, { linkId: TRIGGER_ID, ownerId: OWNER })
    const credential = { sealed_usage_key: sealed, trigger_id: TRIGGER_ID, owner_id: OWNER }
    const run = { id: TRIGGER_ID + randomBytes(12).toString('base64url') }
    const answer = await executeRun(origin, { credential, run, code: 'const main = () => 1' })
    expect(answer).toMatchObject({ state: 'refused' })
    expect(await origin.sealed(SEALED_KEY_STATES_PATH, { stored: [credential] })).toMatchObject({
      keys: [null],
    })
  })

  it('account key: a stored account key is refused', async () => {
    const answer = await read(await linkKey(key))
    expect(answer).toMatchObject({ state: 'refused', status: 403 })
    expect(JSON.stringify(answer)).not.toContain(key)
  })

  it('header injection: a stored text that is not an API key is refused', async () => {
    for (const text of ['x\r\nx-svc: 1', 'ключ', ' '])
      expect(await read(await linkKey(text))).toMatchObject({ state: 'refused', status: 403 })
  })

  it.each([
    ['x-api-key', 'k'],
    ['authorization', 'Bearer k'],
    ['x-wallet-auth', 'e30='],
  ])(
    'second credential: a stored key together with the header %s is refused',
    async (name, value) => {
      const answer = await read(await linkKey(usage), [[name, value]])
      expect(answer).toMatchObject({ state: 'refused', status: 400 })
    },
  )

  it('replay: a captured envelope is executed once', async () => {
    const head = { stored_key: await linkKey(usage) }
    const sealed = await sealHttp(origin, { method: 'POST', path: '/core/v1/create_wallet', head })
    expect([await sendHttp(origin, sealed), await sendHttp(origin, sealed)]).toMatchObject([
      { state: 'answered', status: 200 },
      { state: 'refused', error: 'request_replayed' },
    ])
  })

  it('no pre-shared key: a client cannot use a stored key that it has stolen', async () => {
    const passed = { path: '/core/v1/list_groups', head: { stored_key: await linkKey(usage) } }
    expect(await passOn(origin, passed, { mode: 'base' })).toMatchObject({ status: 403 })
    const head = { 'x-stored-key': JSON.stringify(await linkKey(usage)) }
    expect((await origin.call('/core/v1/list_groups', { headers: head })).status).toBe(401)
    expect((await origin.call(SEALED_HTTP_PATH, { method: 'POST' })).status).not.toBe(200)
  })

  it.each(['acct_short', `acct_${'A'.repeat(27)}`, TRIGGER_ID, `acct_${'A'.repeat(21)}/`])(
    'malformed ID: %s is refused',
    async (link_id) => {
      expect(await read({ ...(await linkKey(usage)), link_id })).toMatchObject({
        state: 'refused',
        status: 400,
      })
    },
  )
})

describe('the check of a key', () => {
  const check = (fields: object) => origin.sealed(SEALED_KEYS_PATH, { for_link: true, ...fields })

  it('returns the hashes of the key and its account, and the right to read', async () => {
    expect(await check({ api_key: usage })).toMatchObject({
      key: 'usage',
      may_execute: false,
      key_hash: origin.hashOf(usage),
      account_hash: origin.hashOf(key),
      reads_account: true,
    })
    expect(await check({ api_key: key })).toMatchObject({ key: 'account', reads_account: false })
  })

  it('seals the key of a link for a trigger of the same owner', async () => {
    const stored_link = await linkKey(usage)
    const { sealed_usage_key } = await check({ stored_link, reseal_for: TRIGGER_ID })
    const credential = { sealed_usage_key, trigger_id: TRIGGER_ID, owner_id: OWNER }
    const run = { id: TRIGGER_ID + randomBytes(12).toString('base64url') }
    const answer = await executeRun(origin, { credential, run, code: 'const main = () => 1' })
    expect(answer).toMatchObject({ state: 'ended' })
    const stolen = { ...credential, owner_id: 'another' }
    const other = { id: TRIGGER_ID + randomBytes(12).toString('base64url') }
    expect(
      await executeRun(origin, { credential: stolen, run: other, code: 'const main = () => 1' }),
    ).toMatchObject({ state: 'refused' })
  })

  it('takes exactly one key', async () => {
    const stored_link = await linkKey(usage)
    expect(await check({ stored_link, api_key: usage })).toMatchObject({ status: 422 })
    expect(await check({})).toMatchObject({ status: 422 })
  })
})
