import { id } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let account: string
const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG'
beforeAll(async () => {
  origin = await startOrigin()
  account = await origin.account()
})
afterAll(() => origin.close())

const check = (api_key: string, action_cid = CID, mode: 'psk' | 'base' = 'psk') =>
  origin.sealed(SEALED_KEYS_PATH, { api_key, action_cid }, mode)

describe('checking a key', () => {
  it('recognizes an account key, before and after a rotation', async () => {
    const old = await origin.account()
    expect(await check(old)).toEqual({ state: 'known', key: 'account', may_execute: true })
    const { api_key } = (await origin.core('rotate_account_api_key', { key: old, method: 'POST' }))
      .body
    expect(await check(old)).toMatchObject({ key: 'unknown', may_execute: false })
    expect(await check(api_key)).toMatchObject({ key: 'account' })
  })

  it('recognizes a usage key, and reports if it may run the action', async () => {
    const group = await origin.group(account, { cid_hashes_permitted: [id(CID)] })
    const usage = await origin.usageKey(account, { execute_in_groups: [group] })
    expect(await check(usage)).toEqual({ state: 'known', key: 'usage', may_execute: true })
    const other = `${CID.slice(0, -1)}H`
    expect(await check(usage, other)).toEqual({ state: 'known', key: 'usage', may_execute: false })
    await origin.core('remove_usage_api_key', { key: account, body: { usage_api_key: usage } })
    expect(await check(usage)).toEqual({ state: 'known', key: 'unknown', may_execute: false })
  })

  it('reports that a key has expired', async () => {
    const usage = await origin.usageKey(account, { execute_in_groups: [0] })
    const body = { usage_api_key: usage, expires_at: '2020-01-01T00:00:00Z' }
    await origin.core('update_usage_api_key', { key: account, body })
    expect(await check(usage)).toMatchObject({ key: 'usage', refused_by: 'expired' })
  })

  it.each(['nobody', 'x', 'lone \ud800', '\u0000', 'a'.repeat(256)])(
    'reports an unknown key: %j',
    async (key) => {
      expect(await check(key)).toEqual({ state: 'known', key: 'unknown', may_execute: false })
    },
  )

  it('does not reveal the owner of a key', async () => {
    expect(Object.keys(await check(account)).toSorted()).toEqual(['key', 'may_execute', 'state'])
  })
})

describe('checking a stored key', () => {
  const TRIGGER = 'T'.repeat(32)
  const owner = { triggerId: TRIGGER, ownerId: 'user' }
  const stored = async (key: string) => ({
    sealed_usage_key: await origin.sealKey(key, owner),
    trigger_id: TRIGGER,
    owner_id: 'user',
  })
  const ask = (fields: object, mode: 'psk' | 'base' = 'psk') =>
    origin.sealed(SEALED_KEYS_PATH, { action_cid: CID, ...fields }, mode)

  it('reports the same as for the key itself', async () => {
    const group = await origin.group(account, { cid_hashes_permitted: [id(CID)] })
    const usage = await stored(await origin.usageKey(account, { execute_in_groups: [group] }))
    expect(await ask({ stored: usage })).toEqual({
      state: 'known',
      key: 'usage',
      may_execute: true,
    })
    const other = { stored: usage, action_cid: `${CID.slice(0, -1)}H` }
    expect(await ask(other)).toEqual({ state: 'known', key: 'usage', may_execute: false })
    expect(await ask({ stored: await stored('nobody') })).toMatchObject({ key: 'unknown' })
  })

  it('transplant: rejects a key that was sealed for another trigger or owner, and reveals nothing', async () => {
    const key = await stored(account)
    for (const change of [{ trigger_id: 'U'.repeat(32) }, { owner_id: 'someone' }]) {
      const answer = await ask({ stored: { ...key, ...change } })
      expect(answer).toMatchObject({ state: 'refused' })
      expect(answer).not.toHaveProperty('may_execute')
    }
  })

  it('guessing keys: reveals nothing in base mode', async () => {
    expect(await ask({ stored: await stored(account) }, 'base')).toMatchObject({ status: 403 })
  })

  it('rejects a request with no key, and one with two', async () => {
    expect(await ask({})).toMatchObject({ state: 'refused', status: 422 })
    const both = { stored: await stored(account), api_key: account }
    expect(await ask(both)).toMatchObject({ state: 'refused', status: 422 })
  })
})

describe('sealing a stored key for another trigger', () => {
  const [FIRST, SECOND] = ['T'.repeat(32), 'U'.repeat(32)]
  const storedFor = async (key: string, triggerId = FIRST) => ({
    sealed_usage_key: await origin.sealKey(key, { triggerId, ownerId: 'user' }),
    trigger_id: triggerId,
    owner_id: 'user',
  })
  const reseal = (fields: object, mode: 'psk' | 'base' = 'psk') =>
    origin.sealed(SEALED_KEYS_PATH, { action_cid: CID, reseal_for: SECOND, ...fields }, mode)
  const recheck = (stored: object) => origin.sealed(SEALED_KEYS_PATH, { action_cid: CID, stored })

  it('returns the key for the other trigger of the same owner only', async () => {
    const usage = await origin.usageKey(account, { execute_in_groups: [0] })
    const { sealed_usage_key, ...checked } = await reseal({ stored: await storedFor(usage) })
    expect(checked).toEqual(await check(usage))
    const moved = { sealed_usage_key, trigger_id: SECOND, owner_id: 'user' }
    expect(await recheck(moved)).toMatchObject({ key: 'usage' })
    for (const change of [{ trigger_id: FIRST }, { owner_id: 'someone' }])
      expect(await recheck({ ...moved, ...change })).toMatchObject({ state: 'refused' })
  })

  it('transplant: rejects a key that was sealed for another trigger or owner', async () => {
    const key = await storedFor(await origin.usageKey(account, { execute_in_groups: [0] }))
    for (const change of [{ trigger_id: 'V'.repeat(32) }, { owner_id: 'someone' }]) {
      const answer = await reseal({ stored: { ...key, ...change } })
      expect(answer).toMatchObject({ state: 'refused' })
      expect(answer).not.toHaveProperty('sealed_usage_key')
    }
  })

  it('stolen envelope: is rejected in base mode', async () => {
    const stored = await storedFor(await origin.usageKey(account, { execute_in_groups: [0] }))
    expect(await reseal({ stored }, 'base')).toMatchObject({ state: 'refused', status: 403 })
  })

  it('replay: a recorded request is not answered again', async () => {
    const stored = await storedFor(await origin.usageKey(account, { execute_in_groups: [0] }))
    const request = { stored, action_cid: CID, reseal_for: SECOND }
    const { body, open } = await origin.seal(SEALED_KEYS_PATH, request)
    const answers = []
    for (let time = 0; time < 2; time++) {
      const bytes = await (await origin.post(SEALED_KEYS_PATH, body)).arrayBuffer()
      answers.push(JSON.parse(Buffer.from(await open(new Uint8Array(bytes))).toString()))
    }
    expect(answers[0]).toHaveProperty('sealed_usage_key')
    expect(answers[1]).toMatchObject({ status: 409, error: 'request_replayed' })
    expect(answers[1]).not.toHaveProperty('sealed_usage_key')
  })

  it('revoked key: is not sealed after it was removed or has expired', async () => {
    const usage = await origin.usageKey(account, { execute_in_groups: [0] })
    const stored = await storedFor(usage)
    const expired = { usage_api_key: usage, expires_at: '2020-01-01T00:00:00Z' }
    await origin.core('update_usage_api_key', { key: account, body: expired })
    const answers = [await reseal({ stored })]
    await origin.core('remove_usage_api_key', { key: account, body: { usage_api_key: usage } })
    answers.push(await reseal({ stored }))
    expect(answers).toMatchObject([{ refused_by: 'expired' }, { key: 'unknown' }])
    for (const answer of answers) expect(answer).not.toHaveProperty('sealed_usage_key')
  })

  it('account key: is not sealed', async () => {
    const answer = await reseal({ stored: await storedFor(account) })
    expect(answer).toMatchObject({ key: 'account' })
    expect(answer).not.toHaveProperty('sealed_usage_key')
  })

  it('rejects a key that is not stored, and a malformed trigger ID', async () => {
    expect(await reseal({ api_key: account })).toMatchObject({ state: 'refused', status: 422 })
    const stored = await storedFor(account)
    for (const reseal_for of ['', 'T', '!'.repeat(32)])
      expect(await reseal({ stored, reseal_for })).toMatchObject({ status: 400 })
  })
})

describe('a request to check a key', () => {
  it('guessing keys: is rejected in base mode, which anyone can use', async () => {
    expect(await check(account, CID, 'base')).toMatchObject({ state: 'refused', status: 403 })
  })

  it('replay: is not answered again', async () => {
    const { body, open } = await origin.seal(SEALED_KEYS_PATH, {
      api_key: account,
      action_cid: CID,
    })
    const answers = []
    for (let time = 0; time < 2; time++) {
      const bytes = await (await origin.post(SEALED_KEYS_PATH, body)).arrayBuffer()
      answers.push(JSON.parse(Buffer.from(await open(new Uint8Array(bytes))).toString()))
    }
    expect(answers).toMatchObject([{ state: 'known' }, { status: 409, error: 'request_replayed' }])
    expect((await origin.post(SEALED_EXECUTE_PATH, body)).status).toBe(400)
  })

  it('is rejected if it is malformed', async () => {
    for (const [fields, status] of [
      [{}, 422],
      [{ api_key: 'x' }, 422],
      [{ api_key: '', action_cid: CID }, 400],
      [{ api_key: 'x'.repeat(257), action_cid: CID }, 400],
    ] as const)
      expect(await origin.sealed(SEALED_KEYS_PATH, fields)).toMatchObject({ status })
  })
})
