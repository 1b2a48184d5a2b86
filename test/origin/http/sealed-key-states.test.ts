import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordPayment, recordProgress } from '../../../origin/credits/processor/payment-rows.ts'
import { apiKeyHash } from '../../../shared/crypto/keccak.ts'
import { KEY_STATES_PER_REQUEST_MAX } from '../../../shared/limits.ts'
import { SEALED_KEY_STATES_PATH } from '../../../shared/wire/sealed-key-states.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let account: string
beforeAll(async () => {
  origin = await startOrigin()
  account = await origin.account()
})
afterAll(() => origin.close())

const TRIGGER = 'T'.repeat(32)
const OWNER = 'user'

const stored = async (key: string) => ({
  sealed_usage_key: await origin.sealKey(key, { triggerId: TRIGGER, ownerId: OWNER }),
  trigger_id: TRIGGER,
  owner_id: OWNER,
})
const states = (keys: object[], mode?: 'base') =>
  origin.sealed(SEALED_KEY_STATES_PATH, { stored: keys }, mode)

const EXPIRY = '2100-01-01T00:00:00Z'
const update = async (usage_api_key: string, limits: object) => {
  const body = { usage_api_key, ...limits }
  const { status } = await origin.core('update_usage_api_key', { key: account, body })
  expect(status).toBe(200)
}

describe('the state of stored keys', () => {
  it('has the expiry of a usage key, also after it has expired', async () => {
    const key = await origin.usageKey(account, { expires_at: EXPIRY })
    const key_hash = apiKeyHash(key)
    const one = await stored(key)
    expect(await states([one])).toEqual({
      state: 'known',
      keys: [{ key_hash, expires_at: Date.parse(EXPIRY) }],
    })
    await update(key, { expires_at: '2020-01-01T00:00:00Z' })
    expect((await states([one])).keys).toEqual([
      { key_hash, expires_at: Date.parse('2020-01-01T00:00:00Z') },
    ])
    await update(key, { remove_limits: ['expires_at'] })
    expect((await states([one])).keys).toEqual([{ key_hash }])
  })

  it('is returned in the order of the request, with null for keys that are not usage keys', async () => {
    const key = await origin.usageKey(account, {})
    const removed = await origin.usageKey(account, {})
    await origin.core('remove_usage_api_key', { key: account, body: { usage_api_key: removed } })
    const asked = await Promise.all([removed, 'nobody', key, account].map(stored))
    expect((await states(asked)).keys).toEqual([null, null, { key_hash: apiKeyHash(key) }, null])
  })

  it('transplant: hides a key that was sealed for another trigger or owner, and shows the others', async () => {
    const key = await origin.usageKey(account, { expires_at: EXPIRY })
    const own = await stored(key)
    const moved = [
      { ...own, trigger_id: 'U'.repeat(32) },
      { ...own, owner_id: 'someone' },
      { ...own, sealed_usage_key: 'AAAA' },
      own,
    ]
    expect((await states(moved)).keys).toEqual([
      null,
      null,
      null,
      { key_hash: apiKeyHash(key), expires_at: Date.parse(EXPIRY) },
    ])
  })

  it('has the balance of the account only if it is requested', async () => {
    const one = await stored(await origin.usageKey(account, {}))
    expect((await states([one])).keys[0]).not.toHaveProperty('balance_cents')
    // Settles the charges of this process.
    const { body } = await origin.core('billing/balance', { key: account })
    const answer = await origin.sealed(SEALED_KEY_STATES_PATH, { stored: [one], balances: true })
    expect(answer.keys).toMatchObject([
      { account_hash: apiKeyHash(account), balance_cents: body.balance_cents },
    ])
  })

  it('has the failed payment of the account only if it is requested', async () => {
    const one = await stored(await origin.usageKey(account, {}))
    const payment = { intentId: 'pi_declined', accountHash: apiKeyHash(account), amountCents: 500 }
    const at = new Date()
    await recordPayment(origin.database.db, { ...payment, at, lookAt: at })
    await recordProgress(origin.database.db, 'pi_declined', {
      state: 'open',
      lookAt: at,
      declinedAt: at,
    })
    expect((await states([one])).keys[0]).not.toHaveProperty('payment_problem')
    const answer = await origin.sealed(SEALED_KEY_STATES_PATH, { stored: [one], payments: true })
    expect(answer.keys).toMatchObject([
      { account_hash: apiKeyHash(account), payment_problem: 'declined' },
    ])
    expect(answer.keys[0]).not.toHaveProperty('balance_cents')
  })

  it('guessing keys: is not revealed in base mode, which anyone can use', async () => {
    const answer = await states([await stored(await origin.usageKey(account, {}))], 'base')
    expect(answer).toMatchObject({ state: 'refused', status: 403 })
    expect(answer).not.toHaveProperty('keys')
  })

  it('is refused for no key, and for too many', async () => {
    const one = await stored('nobody')
    const many = Array.from({ length: KEY_STATES_PER_REQUEST_MAX + 1 }, () => one)
    for (const keys of [[], many]) expect(await states(keys)).toMatchObject({ state: 'refused' })
    expect((await states(many.slice(1))).keys).toHaveLength(KEY_STATES_PER_REQUEST_MAX)
  })
})
