/** Expiry of usage keys, as the owner sets it and as the key experiences it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomBytes } from 'node:crypto'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, frameRuns, sendFrame, storedKey } from './runs-client.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

const ECHO = 'function main(params) { return params }'
/** Requests the wallet's key once a second until the request is refused, at most nine times. */
const KEY_UNTIL_REFUSED = `async function main({ pkpId }) {
  for (let n = 0; n < 9; n++) {
    await Svc.Actions.getPrivateKey({ pkpId })
    await new Promise((resume) => setTimeout(resume, 1000))
  }
  return 'never refused'
}`
const TRIGGER_ID = 'T'.repeat(32)
const newRunId = () => TRIGGER_ID + randomBytes(12).toString('base64url')
const PAST = '2020-01-01T00:00:00Z'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const inMs = (ms: number) => new Date(origin.services.now() + ms).toISOString()

async function holder(fields: object = {}) {
  const key = await origin.account()
  const usage = await origin.usageKey(key, { ...EVERY_RIGHT, ...fields })
  await origin.group(key, { cid_hashes_permitted: [0], pkp_ids_permitted: [`0x${'0'.repeat(64)}`] })
  const update = (changes: object) =>
    origin.core('update_usage_api_key', {
      key,
      body: { usage_api_key: origin.hashOf(usage), ...changes },
    })
  return { key, usage, update, hash: origin.hashOf(usage) }
}

async function listedExpiry(key: string) {
  const { body } = await origin.core('list_api_keys', { key })
  return body[0].expires_at
}

describe('a key with expires_at', () => {
  it('runs until that time, and is refused with 401 key_expired from then on', async () => {
    const at = inMs(2_000)
    const { key, usage } = await holder({ expires_at: at })
    expect((await origin.run(usage, ECHO)).status).toBe(200)
    expect(await listedExpiry(key)).toBe(at)
    origin.clock.aheadMs += 2_000
    const { status, body, headers } = await origin.run(usage, ECHO)
    expect([status, body.error, body.reason]).toEqual([401, 'unauthorized', 'key_expired'])
    expect(body.message).toContain(at.slice(0, 19))
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect((await origin.run(key, ECHO)).status).toBe(200)
  })

  it('is refused for reads and writes too, and no longer exists', async () => {
    const { usage, update } = await holder()
    const read = 'list_wallets_in_group?group_id=1'
    expect((await origin.core(read, { key: usage })).status).toBe(200)
    await update({ expires_at: PAST })
    for (const [name, method] of [
      [read, 'GET'],
      ['create_wallet', 'POST'],
    ] as const) {
      const { status, body } = await origin.core(name, { key: usage, method })
      expect([status, body.reason]).toEqual([401, 'key_expired'])
    }
    expect((await origin.core('account_exists', { key: usage })).body).toBe(false)
  })

  it('works again after its expiry was moved, or removed', async () => {
    const { key, usage, update } = await holder({ expires_at: inMs(60_000) })
    await update({ expires_at: PAST })
    expect((await origin.run(usage, ECHO)).status).toBe(401)
    expect((await update({ expires_at: inMs(60_000) })).status).toBe(200)
    expect((await origin.run(usage, ECHO)).status).toBe(200)
    await update({ expires_at: PAST })
    expect((await update({ remove_limits: ['expires_at'] })).status).toBe(200)
    expect((await origin.run(usage, ECHO)).status).toBe(200)
    expect(await listedExpiry(key)).toBeNull()
  })

  it('generated client: null leaves the expiry unchanged', async () => {
    const at = inMs(60_000)
    const { key, update } = await holder({ expires_at: at })
    expect((await update({ expires_at: null, name: 'renamed' })).status).toBe(200)
    expect(await listedExpiry(key)).toBe(at)
  })

  it('accepts another time zone, and lists the time in UTC', async () => {
    const { key } = await holder({ expires_at: '2030-01-01T02:00:00+02:00' })
    expect(await listedExpiry(key)).toBe('2030-01-01T00:00:00.000Z')
  })

  it('rejects values that are not times, and contradictions', async () => {
    const { update } = await holder()
    for (const expires_at of ['tomorrow', '2030-01-01', '2030-13-01T00:00:00Z']) {
      const { status, body } = await update({ expires_at })
      expect([status, body.message]).toEqual([400, expect.stringContaining('expires_at')])
    }
    const both = await update({ expires_at: PAST, remove_limits: ['expires_at'] })
    expect([both.status, both.body.message]).toEqual([
      400,
      expect.stringContaining('remove_limits'),
    ])
    expect((await update({ remove_limits: ['name'] })).status).toBe(400)
  })

  it('cannot be created if it would already have expired', async () => {
    const key = await origin.account()
    const body = { name: 'late', expires_at: PAST }
    const { status, body: answer } = await origin.core('add_usage_api_key', { key, body })
    expect([status, answer.message]).toEqual([422, expect.stringContaining('expires_at')])
  })

  it('changes for free, without a transaction', async () => {
    const { key, update } = await holder()
    const balance = async () =>
      (await origin.core('billing/balance', { key })).body.balance_cents as number
    // Not getBlockNumber(), whose result ethers caches for 250 ms.
    const tip = () => origin.services.chain.provider.send('eth_blockNumber', [])
    const before = await balance()
    const block = await tip()
    expect((await update({ expires_at: inMs(60_000) })).status).toBe(200)
    expect(await tip()).toBe(block)
    expect(await balance()).toBe(before)
  })
})

describe('attack: an expired key', () => {
  it('cannot move its own expiry', async () => {
    const { usage, hash } = await holder({ expires_at: inMs(60_000) })
    const body = { usage_api_key: hash, expires_at: inMs(3_600_000) }
    expect((await origin.core('update_usage_api_key', { key: usage, body })).status).toBe(403)
  })

  it('of another account cannot be moved', async () => {
    const { hash } = await holder({ expires_at: inMs(60_000) })
    const stranger = await origin.account()
    const body = { usage_api_key: hash, remove_limits: ['expires_at'] }
    const { status } = await origin.core('update_usage_api_key', { key: stranger, body })
    expect(status).toBe(404)
  })

  it('is refused when a sealed batch is replayed, for every run of the batch', async () => {
    const { usage, update } = await holder()
    const credential = await storedKey(origin, usage, TRIGGER_ID)
    const runs = [1, 2, 3].map(() => ({ id: newRunId(), code: ECHO }))
    const frame = frameRuns(origin, { credential, runs })
    expect(await sendFrame(origin, frame)).toHaveLength(3)
    await update({ expires_at: PAST })
    const refused = { state: 'refused', status: 401, error: 'unauthorized', reason: 'key_expired' }
    expect(await sendFrame(origin, frame)).toMatchObject([{ response: refused }])
    const fresh = { credential, run: { id: newRunId() }, code: ECHO }
    expect(await executeRun(origin, fresh)).toMatchObject(refused)
  })

  it('is refused in an end-to-end encrypted request', async () => {
    const { usage, update } = await holder()
    const execute = () => origin.execute({ credential: { api_key: usage }, code: ECHO }, 'base')
    expect(await execute()).toMatchObject({ state: 'ended' })
    await update({ expires_at: PAST })
    expect(await execute()).toMatchObject({ state: 'refused', status: 401, reason: 'key_expired' })
  })

  it('stops a run that started before from getting a key after', async () => {
    const { key, usage, update } = await holder()
    const { pkp_id: pkpId } = await origin.wallet(key)
    const run = origin.run(usage, KEY_UNTIL_REFUSED, { pkpId })
    await expect.poll(() => origin.logs.at(-1)?.event, { timeout: 60_000 }).toBe('run.started')
    await update({ expires_at: PAST })
    const { status, body } = await run
    expect([status, body]).toEqual([500, expect.stringContaining('has been revoked')])
  })
})
