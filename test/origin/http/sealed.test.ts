import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { id } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyText } from '../../any-text.ts'
import { SEALED_EXECUTE_PATH, SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun } from './runs-client.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const CODE = `async function main({ n = 1 }) { console.log('hello'); return n * 2 }`
const TRIGGER = 'T'.repeat(32)
const runOf = (trigger = TRIGGER) => ({
  id: trigger + randomBytes(12).toString('base64url'),
  attempt: 1,
})

describe.each([['psk'], ['base']] as const)('/sealed/execute without a run ID, %s mode', (mode) => {
  const execute = (fields: object) => origin.execute(fields, mode)

  it('returns the outcome', async () => {
    const fields = { credential: { api_key: key }, code: CODE, js_params: { n: 4 } }
    const answer = await execute(fields)
    expect(answer).toMatchObject({ state: 'ended', outcome: { status: 'success', response: 8 } })
    expect(answer.outcome.logs).toMatchObject([{ level: 'log', text: 'hello' }])
  })

  it('returns how an action failed', async () => {
    const code = 'async function main() { throw new Error("no") }'
    const { outcome } = await execute({ credential: { api_key: key }, code })
    expect(outcome).toMatchObject({ status: 'failed', code: 'action_threw', message: 'no' })
  })

  it('rejects an unknown key, and an action that the key may not run', async () => {
    const usage = await origin.usageKey(key, { execute_in_groups: [0] })
    for (const [api_key, status, error] of [
      ['nobody', 401, 'unauthorized'],
      ['lone \ud800', 401, 'unauthorized'],
      [usage, 403, 'forbidden'],
    ]) {
      const answer = await execute({ credential: { api_key }, code: CODE })
      expect(answer).toMatchObject({ state: 'refused', status, error })
      expect(Object.keys(answer).toSorted()).toEqual(['error', 'fix', 'message', 'state', 'status'])
    }
  })

  it('replay: rejects a captured request the second time', async () => {
    const fields = { js_params: {}, wait_ms: 0, credential: { api_key: key }, code: CODE }
    const { body, open } = await origin.seal(SEALED_EXECUTE_PATH, fields, mode)
    const answers = []
    for (let time = 0; time < 2; time++) {
      const bytes = await (await origin.post(SEALED_EXECUTE_PATH, body)).arrayBuffer()
      answers.push(JSON.parse(Buffer.from(await open(new Uint8Array(bytes))).toString()))
    }
    expect(answers[0].state).toBe('ended')
    expect(answers[1]).toMatchObject({ status: 409, error: 'request_replayed' })
  })

  it('stale or future: rejects a request outside its time window', async () => {
    const now = Date.now()
    const credential = { api_key: key }
    for (const [issued_at, expires_at, fresh] of [
      [now - 59_000, now + 1_000, true],
      [now + 25_000, now + 80_000, true],
      [now - 61_000, now - 1_000, false],
      [now + 40_000, now + 90_000, false],
      [now - 1_000, now + 60_000, false],
      [now, 8_640_000_000_000_000, false],
      [-8_640_000_000_000_000, now + 1, false],
    ]) {
      const answer = await execute({ issued_at, expires_at, credential, code: CODE })
      if (fresh) expect(answer.state).toBe('ended')
      else expect(answer).toMatchObject({ status: 400, reason: 'request_not_fresh' })
    }
  })
})

describe.each([['psk'], ['base']] as const)('a request of a client, %s mode', (mode) => {
  it.each([
    ['a run ID', () => ({ run: runOf() })],
    ['a client address', () => ({ client_address: '203.0.113.7' })],
    [
      'a stored key',
      async () => ({
        credential: {
          sealed_usage_key: await origin.sealKey(key, { triggerId: TRIGGER, ownerId: 'u' }),
          trigger_id: TRIGGER,
          owner_id: 'u',
        },
      }),
    ],
    [
      'a stored key beside its own',
      () => ({ credential: { api_key: key, sealed_usage_key: 'AA' } }),
    ],
  ])('impersonation of the edge: may not include %s', async (_what, make) => {
    const code = `${CODE} // ${randomBytes(8).toString('hex')}`
    const fields = { credential: { api_key: key }, code, ...(await make()) }
    const answer = await origin.execute(fields, mode)
    expect(answer).toMatchObject({ state: 'refused' })
    expect([400, 422]).toContain(answer.status)
    expect(answer.message).toMatch(/^(run|client_address): accepted only from the edge|^credential/)
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: code })).body
    expect(origin.logs.filter(({ facts }) => facts.cid === cid)).toEqual([])
  })
})

describe('base mode, which anyone can use', () => {
  it('may not query outcomes', async () => {
    const fields = { run_ids: [runOf().id], wait_ms: 0 }
    const answer = await origin.sealed(SEALED_OUTCOMES_PATH, fields, 'base')
    expect(answer).toMatchObject({ status: 403, error: 'forbidden' })
  })
})

describe('a stored usage key', () => {
  const stored = async (usage: string, changes: object = {}) => ({
    sealed_usage_key: await origin.sealKey(usage, { triggerId: TRIGGER, ownerId: 'user' }),
    trigger_id: TRIGGER,
    owner_id: 'user',
    ...changes,
  })

  it('runs what its groups permit, and nothing else', async () => {
    const account = await origin.account()
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: CODE })).body
    await origin.group(account, { cid_hashes_permitted: [id(cid)] })
    const credential = await stored(await origin.usageKey(account, { execute_in_groups: [1] }))
    const execute = (code: string) => executeRun(origin, { credential, code, run: runOf() })
    expect((await execute(CODE)).state).toBe('ended')
    expect(await execute(`${CODE} `)).toMatchObject({ status: 403 })
  })

  it('may not be an account key, which could do anything in the account', async () => {
    const credential = await stored(key)
    const answer = await executeRun(origin, { credential, code: CODE, run: runOf() })
    expect(answer).toMatchObject({ state: 'refused', status: 403 })
    expect(answer.message).toContain('account key')
  })

  it('is valid only for a run of its trigger, and not for a request without one', async () => {
    const account = await origin.account()
    const usage = await origin.usageKey(account, { execute_in_groups: [0] })
    const credential = await stored(usage)
    expect(await origin.execute({ credential, code: CODE })).toMatchObject({ status: 422 })
  })

  it('transplant: is rejected if it was sealed for another trigger or owner', async () => {
    const other = 'U'.repeat(32)
    for (const [credential, run] of [
      [await stored(key, { trigger_id: other }), runOf(other)],
      [await stored(key, { owner_id: 'someone' }), runOf()],
      [await stored(key), runOf(other)],
    ] as const) {
      const answer = await executeRun(origin, { credential, code: CODE, run })
      expect(answer.state).toBe('refused')
      expect([400, 403]).toContain(answer.status)
    }
  })

  it('is rejected if it is not a sealed key', async () => {
    for (const sealed_usage_key of ['AA', key.replaceAll(/[^A-Za-z0-9]/g, '')]) {
      const credential = await stored(key, { sealed_usage_key })
      const answer = await executeRun(origin, { credential, code: CODE, run: runOf() })
      expect(answer.state).toBe('refused')
    }
  })
})

describe('a request that cannot be opened gets a response in the clear', () => {
  it('with 421 if it was sealed to an unknown key, so that the sender fetches the key again', async () => {
    const { body } = await origin.seal(SEALED_EXECUTE_PATH, {})
    body[2]! ^= 1
    const response = await origin.post(SEALED_EXECUTE_PATH, body)
    expect(response.status).toBe(421)
    expect(await response.json()).toMatchObject({ error: 'unknown_channel_key' })
  })

  it('with 400 for noise, for a request to the other path, and for an empty one', async () => {
    const { body } = await origin.seal(SEALED_OUTCOMES_PATH, {})
    for (const bytes of [Uint8Array.from(randomBytes(500)), body, new Uint8Array(0)])
      expect((await origin.post(SEALED_EXECUTE_PATH, bytes)).status).toBe(400)
  })

  it('the keys to seal to are published', async () => {
    const { current, storage } = origin.services.channel
    for (const [name, { publicKey }] of [
      ['channel-key', current],
      ['storage-key', storage],
    ] as const)
      expect((await origin.call(`/evidences/${name}.json`)).body).toMatchObject({
        suite: 'DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM',
        public_key: publicKey.toString('base64url'),
      })
  })
})

describe('no sealed text causes a 500', () => {
  const value = fc.oneof(fc.jsonValue(), fc.maxSafeInteger(), anyText())
  const names = ['credential', 'code', 'js_params', 'wait_ms', 'run', 'run_ids', 'request_id']
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])), {
    requiredKeys: [],
  })

  it.each([[SEALED_EXECUTE_PATH], [SEALED_OUTCOMES_PATH]])('%s', async (path) => {
    const valid = { credential: { api_key: key }, code: CODE, js_params: {}, wait_ms: 0 }
    await fc.assert(
      fc.asyncProperty(fields, async (given) => {
        const answer = await origin.sealed(path, { ...valid, run_ids: [runOf().id], ...given })
        if (answer.state === 'refused') expect([400, 401, 403, 422]).toContain(answer.status)
      }),
      { numRuns: 80 },
    )
  })

  it('including attempt numbers too large for the database, and deeply nested params', async () => {
    const valid = { credential: { api_key: key }, code: CODE }
    const run = { ...runOf(), attempt: Number.MAX_SAFE_INTEGER }
    expect(await executeRun(origin, { ...valid, run })).toMatchObject({ status: 400 })
    let deep: unknown = 1
    for (let level = 0; level < 3_000; level++) deep = [deep]
    expect((await origin.execute({ ...valid, js_params: { deep } })).state).toBe('ended')
  })
})
