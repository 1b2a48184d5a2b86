import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { booksOf } from '../credits/process.ts'
import { suspendAccount } from '../../../origin/operator/account-actions.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { away } from '../credits/unreliable-database.ts'
import { appWith, creditsOver } from './other-ledger.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const ECHO = 'function main(params) { return params }'

const balanceOf = async (key: string): Promise<number> =>
  (await origin.core('billing/balance', { key })).body.balance_cents
const wallet = (key: string) => origin.core('create_wallet', { key, method: 'POST' })

describe('402', () => {
  it('states the cost, the balance, and how to add funds', async () => {
    const { status, body } = await wallet(await origin.poor(0))
    expect(status).toBe(402)
    expect(body).toEqual({
      error: 'payment_required',
      message: 'This costs $0.01 and the balance is $0.00.',
      fix: expect.stringContaining('billing/create_payment_intent'),
      docs_url: expect.stringContaining('#payment_required'),
    })
  })

  it.each([
    ['create_wallet', {}],
    ['add_group', { group_name: 'g' }],
    ['add_usage_api_key', { name: 'u' }],
    ['svc_action', { code: ECHO }],
  ])('is returned by %s if the account has no credit', async (path, body) => {
    const key = await origin.poor(0)
    expect((await origin.core(path, { key, body })).status).toBe(402)
  })

  it('is returned to a suspended account, which can still read', async () => {
    const key = await origin.poor(100)
    const account = origin.hashOf(key)
    const action = { id: randomBytes(8).toString('hex'), operator: 'ada', reason: 'r' }
    const terms = { starterCents: 0, at: new Date() }
    const { db } = origin.database
    await suspendAccount(db, { ...action, accountHash: account }, terms)
    for (const refused of [
      await wallet(key),
      await origin.core('svc_action', { key, body: { code: ECHO } }),
    ]) {
      expect([refused.status, refused.headers.get('x-svc-error')]).toEqual([
        402,
        'account_suspended',
      ])
      expect(refused.body).toMatchObject({
        error: 'payment_required',
        reason: 'account_suspended',
        message: expect.stringContaining('suspended'),
      })
    }
    expect(await balanceOf(key)).toBe(100)
    expect((await origin.core('list_wallets', { key })).status).toBe(200)
  })

  it('is never returned for an unknown key, which gets 401 first', async () => {
    const key = randomBytes(32).toString('base64')
    expect((await wallet(key)).status).toBe(401)
    expect((await origin.core('svc_action', { key, body: { code: ECHO } })).status).toBe(401)
  })

  it('is never returned for an invalid body, which gets 400, 413 or 422 first', async () => {
    const key = await origin.poor(0)
    const tried = (path: string, text: string) => origin.core(path, { key, text })
    expect((await tried('add_group', '{')).status).toBe(400)
    expect((await tried('add_group', '{}')).status).toBe(422)
    expect((await tried('svc_action', '{"js_params": {}}')).status).toBe(422)
    const code = 'x'.repeat(16 * 1024 * 1024 + 1)
    expect((await tried('svc_action', JSON.stringify({ code }))).status).toBe(413)
  })

  it('is returned before 403, so that an unfunded usage key does not learn its permissions', async () => {
    const key = await origin.poor(2)
    const group = await origin.group(key, { cid_hashes_permitted: [] })
    const usage = await origin.usageKey(key, { execute_in_groups: [group] })
    expect(await balanceOf(key)).toBe(0)
    expect((await wallet(usage)).status).toBe(402)
    expect(
      (await origin.core('add_usage_api_key', { key: usage, body: { name: 'n' } })).status,
    ).toBe(402)
    expect((await origin.run(usage, ECHO)).status).toBe(402)
  })

  it('is not returned for a funded usage key without permission, which gets 403 free of charge', async () => {
    const key = await origin.poor(3)
    const usage = await origin.usageKey(key, {})
    expect((await wallet(usage)).status).toBe(403)
    expect(
      (await origin.core('add_usage_api_key', { key: usage, body: { name: 'n' } })).status,
    ).toBe(403)
    expect((await origin.run(usage, ECHO)).status).toBe(403)
    expect(await balanceOf(key)).toBe(2)
  })

  it('is never returned for reads', async () => {
    const key = await origin.poor(0)
    for (const path of [
      'list_wallets',
      'list_api_keys',
      'list_groups',
      'account_exists',
      'billing/balance',
    ])
      expect([path, (await origin.core(path, { key })).status]).toEqual([path, 200])
  })
})

describe('a write', () => {
  it('costs one cent once it has succeeded, recorded under its key', async () => {
    const key = await origin.poor(5)
    await wallet(key)
    expect(await balanceOf(key)).toBe(4)
    const { transfers } = await booksOf(origin.database.db, origin.hashOf(key))
    expect(transfers[1]).toMatchObject({
      kind: 'write',
      cents: 1,
      keyHash: origin.hashOf(key),
      subject: '/core/v1/create_wallet',
    })
  })

  it('is free of charge if the contract or the chain rejects it', async () => {
    const key = await origin.poor(5)
    const removed = await origin.core('remove_group', { key, body: { group_id: 99 } })
    expect(removed.status).toBe(404)
    const app = origin.appThatCannotWrite(new Error('no'))
    expect((await origin.core('create_wallet', { key, method: 'POST', app })).status).toBe(500)
    expect(await balanceOf(key)).toBe(5)
    expect((await wallet(key)).status).toBe(200)
  })

  it('overdraft: succeeds exactly once if twenty compete for the last cent', async () => {
    const key = await origin.poor(1)
    const answers = await Promise.all(Array.from({ length: 20 }, () => wallet(key)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 402)).toHaveLength(19)
    expect(await balanceOf(key)).toBe(0)
  })

  it('double charge: is free of charge if it is repeated under its Idempotency-Key, and gets the same response', async () => {
    const key = await origin.poor(1)
    const headers = { 'idempotency-key': 'once' }
    const first = await origin.core('create_wallet', { key, method: 'POST', headers })
    const again = await origin.core('create_wallet', { key, method: 'POST', headers })
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
  })

  it('is rejected with 503, never 402, if the ledger is unavailable, and has no effect', async () => {
    const key = await origin.poor(5)
    const app = appWith(origin, creditsOver(origin, away(origin.database.db)))
    for (const path of ['create_wallet', 'billing/balance', 'svc_action']) {
      const body = path === 'svc_action' ? { code: ECHO } : {}
      const request = path === 'billing/balance' ? { key, app } : { key, app, body }
      const { status, headers, body: answer } = await origin.core(path, request)
      expect([path, status, answer.error]).toEqual([path, 503, 'service_unavailable'])
      expect(headers.get('retry-after')).not.toBeNull()
    }
    expect((await origin.core('list_wallets', { key })).body).toEqual([])
  })
})

describe('billing', () => {
  it('shows the starter credits of a new account, also as text', async () => {
    const { body } = await origin.core('billing/balance', { key: await origin.account() })
    expect(body).toEqual({
      balance_cents: 100_000,
      reserved_cents: 0,
      debt_cents: 0,
      balance_display: '$1000.00',
    })
  })

  it('shows the balance to a usage key too, but not without a key', async () => {
    const key = await origin.poor(7)
    const usage = await origin.usageKey(key, {})
    expect(await balanceOf(usage)).toBe(6)
    expect((await origin.core('billing/balance', {})).status).toBe(401)
  })

  it.each([
    ['processor_config', undefined],
    ['create_payment_intent', { amount_cents: 500 }],
    ['confirm_payment', { payment_intent_id: 'pi_1' }],
  ])('%s returns 503 if no processor is configured', async (path, body) => {
    const key = await origin.poor(0)
    const { status, body: answer } = await origin.core(`billing/${path}`, body ? { key, body } : {})
    expect([status, answer.error]).toEqual([503, 'service_unavailable'])
    expect(answer.message).toContain('no payment processor is configured')
  })

  it.each([
    ['create_payment_intent', { amount_cents: 499 }, 400],
    ['create_payment_intent', { amount_cents: 1_000_001 }, 400],
    ['create_payment_intent', { amount_cents: 500.5 }, 400],
    ['create_payment_intent', { amount_cents: '500' }, 422],
    ['create_payment_intent', {}, 422],
    ['confirm_payment', {}, 422],
    ['confirm_payment', { payment_intent_id: 7 }, 422],
  ])('%s with %o returns %i', async (path, body, status) => {
    const key = await origin.poor(0)
    expect((await origin.core(`billing/${path}`, { key, body })).status).toBe(status)
  })

  it.each(['create_payment_intent', 'confirm_payment'])('%s requires a key', async (path) => {
    expect((await origin.core(`billing/${path}`, { body: {} })).status).toBe(401)
  })
})
