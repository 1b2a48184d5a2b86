import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../origin/app.ts'
import { Credits } from '../../../origin/credits/credits.ts'
import { sleep } from '../../../origin/db/in-time.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { booksOf } from '../credits/process.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const ECHO = 'function main(params) { return params }'
const THROWS = 'function main() { throw new Error("no") }'
const SLEEPS = `async function main({ ms }) {
  console.log('began')
  await new Promise((done) => setTimeout(done, ms))
  return ms
}`
const SPINS = 'function main() { for (;;) {} }'

const balanceOf = async (key: string): Promise<number> =>
  (await origin.core('billing/balance', { key })).body.balance_cents
const wallet = (key: string) => origin.core('create_wallet', { key, method: 'POST' })
const newRun = () => ({ id: 'T'.repeat(32) + randomBytes(12).toString('base64url'), attempt: 1 })

/** An app whose ledger does not answer. */
function withoutLedger() {
  const db = new Proxy(origin.database.db, {
    get: () => () => Promise.reject(new Error('connection refused')),
  })
  const { services } = origin
  const { now, log } = services
  const options = { db, exclusive: true, processId: 'away', starterCents: 0, log }
  const credits = new Credits({ ...options, now, monotonic: now, sleep, newId: randomUUID })
  return createApp({ ...services, credits, executions: executionsWith(credits) })
}

function executionsWith(credits: Credits): Executions {
  const { services, pool } = origin
  const limits = { wallMs: 10_000, cpuMs: 5_000 }
  return new Executions({ ...services, pool, credits, limits })
}

describe('402', () => {
  it('says how much is needed, what is there, and how to add funds', async () => {
    const { status, body } = await wallet(await origin.poor(0))
    expect(status).toBe(402)
    expect(body).toEqual({
      error: 'payment_required',
      message: 'This costs $0.01 and the balance is $0.00.',
      fix: expect.stringContaining('billing/create_payment_intent'),
      docs_url: expect.stringContaining('#402'),
    })
  })

  it.each([
    ['create_wallet', {}],
    ['add_group', { group_name: 'g' }],
    ['add_usage_api_key', { name: 'u' }],
    ['svc_action', { code: ECHO }],
  ])('of %s, for an account that has nothing', async (path, body) => {
    const key = await origin.poor(0)
    expect((await origin.core(path, { key, body })).status).toBe(402)
  })

  it('never for an unknown key: 401 comes first', async () => {
    const key = randomBytes(32).toString('base64')
    expect((await wallet(key)).status).toBe(401)
    expect((await origin.core('svc_action', { key, body: { code: ECHO } })).status).toBe(401)
  })

  it('nor for a body that is refused: 400, 413 and 422 come first', async () => {
    const key = await origin.poor(0)
    const tried = (path: string, text: string) => origin.core(path, { key, text })
    expect((await tried('add_group', '{')).status).toBe(400)
    expect((await tried('add_group', '{}')).status).toBe(422)
    expect((await tried('svc_action', '{"js_params": {}}')).status).toBe(422)
    const code = 'x'.repeat(16 * 1024 * 1024 + 1)
    expect((await tried('svc_action', JSON.stringify({ code }))).status).toBe(413)
  })

  it('before 403: an unfunded usage key does not learn what it may do', async () => {
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

  it('is not what a funded usage key gets where it may not: that is 403, and free', async () => {
    const key = await origin.poor(3)
    const usage = await origin.usageKey(key, {})
    expect((await wallet(usage)).status).toBe(403)
    expect(
      (await origin.core('add_usage_api_key', { key: usage, body: { name: 'n' } })).status,
    ).toBe(403)
    expect((await origin.run(usage, ECHO)).status).toBe(403)
    expect(await balanceOf(key)).toBe(2)
  })

  it('never for reads', async () => {
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
  it('costs one cent when it has succeeded, on the statement of its key', async () => {
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

  it('that the contract or the chain refuses costs nothing', async () => {
    const key = await origin.poor(5)
    const removed = await origin.core('remove_group', { key, body: { group_id: 99 } })
    expect(removed.status).toBe(404)
    const app = origin.appThatCannotWrite(new Error('no'))
    expect((await origin.core('create_wallet', { key, method: 'POST', app })).status).toBe(500)
    expect(await balanceOf(key)).toBe(5)
    expect((await wallet(key)).status).toBe(200)
  })

  it('overdraft: of twenty at once on the last cent exactly one succeeds', async () => {
    const key = await origin.poor(1)
    const answers = await Promise.all(Array.from({ length: 20 }, () => wallet(key)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 402)).toHaveLength(19)
    expect(await balanceOf(key)).toBe(0)
  })

  it('double charge: a repeat under its Idempotency-Key is given the answer, and costs nothing', async () => {
    const key = await origin.poor(1)
    const headers = { 'idempotency-key': 'once' }
    const first = await origin.core('create_wallet', { key, method: 'POST', headers })
    const again = await origin.core('create_wallet', { key, method: 'POST', headers })
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
  })

  it('with a ledger that is away is 503, never 402, and nothing is done', async () => {
    const key = await origin.poor(5)
    const app = withoutLedger()
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

describe('an execution', () => {
  it('costs a cent for a short run, and says so', async () => {
    const key = await origin.poor(3)
    const { body } = await origin.run(key, ECHO)
    expect(body.charged_cents).toBe(1)
    expect(await balanceOf(key)).toBe(2)
  })

  it('costs a cent for each second that it began', async () => {
    const key = await origin.poor(5)
    const { body } = await origin.run(key, SLEEPS, { ms: 1_300 })
    expect(body.charged_cents).toBe(2)
    expect(await balanceOf(key)).toBe(3)
  })

  it('that fails costs nothing', async () => {
    const key = await origin.poor(3)
    expect((await origin.run(key, THROWS)).status).toBe(500)
    expect(await balanceOf(key)).toBe(3)
    expect((await origin.run(key, ECHO)).status).toBe(200)
  })

  it('is stopped when its next second can not be paid: 402 out_of_credits, nothing charged', async () => {
    const key = await origin.poor(2)
    const began = performance.now()
    const { status, body } = await origin.run(key, SLEEPS, { ms: 8_000 })
    expect(performance.now() - began).toBeLessThan(5_000)
    expect([status, body.error]).toEqual([402, 'out_of_credits'])
    expect(body.message).toBe(
      'The run was stopped after 2 s: the next second costs $0.01, and the balance is $0.00. Nothing was charged.',
    )
    expect(await balanceOf(key)).toBe(2)
  })

  it('is stopped when the ledger goes away and its next second can not be reserved: 503', async () => {
    const { services } = origin
    let away = false
    const db = new Proxy(origin.database.db, {
      get(target, name) {
        if (away) return () => Promise.reject(new Error('connection refused'))
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { now, log } = services
    const processId = randomBytes(8).toString('hex')
    const credits = new Credits({
      db,
      exclusive: true,
      processId,
      starterCents: 0,
      now,
      monotonic: now,
      sleep,
      newId: randomUUID,
      log,
    })
    const app = createApp({ ...services, credits, executions: executionsWith(credits) })
    const key = await origin.poor(1)
    const running = origin.core('svc_action', {
      key,
      app,
      body: { code: SLEEPS, js_params: { ms: 5_000 } },
    })
    setTimeout(() => (away = true), 250)
    const { status, body } = await running
    expect([status, body.error]).toEqual([503, 'service_unavailable'])
    expect(body.message).toContain('was stopped after 1 s')
    away = false
    expect((await credits.balance(origin.hashOf(key))).balance_cents).toBe(1)
  })

  it('free compute: a loop that never waits is stopped as well', async () => {
    const key = await origin.poor(1)
    const { services } = origin
    const executions = executionsWith(services.credits)
    const app = createApp({ ...services, executions })
    const { status, body } = await origin.core('svc_action', { key, body: { code: SPINS }, app })
    expect([status, body.error]).toEqual([402, 'out_of_credits'])
    expect(await balanceOf(key)).toBe(1)
  })

  it('overdraft: of eight at once on three cents, three run', async () => {
    const key = await origin.poor(3)
    const runs = Array.from({ length: 8 }, () => origin.run(key, SLEEPS, { ms: 300 }))
    const statuses = (await Promise.all(runs)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 402)).toHaveLength(5)
    expect(await balanceOf(key)).toBe(0)
  })

  it('under an Idempotency-Key that ran out of credits is not begun again', async () => {
    const key = await origin.poor(1)
    const request = {
      key,
      body: { code: SLEEPS, js_params: { ms: 5_000 } },
      headers: { 'idempotency-key': 'once' },
    }
    const first = await origin.core('svc_action', request)
    expect([first.status, first.body.error]).toEqual([402, 'out_of_credits'])
    const begun = () => origin.logs.filter(({ event }) => event === 'run.started').length
    const before = begun()
    const again = await origin.core('svc_action', request)
    expect([again.status, again.body]).toEqual([402, first.body])
    expect(begun()).toBe(before)
  })
})

describe('a run with an id', () => {
  const execute = (key: string, run: object, code = ECHO, js_params = {}) =>
    origin.execute({ credential: { api_key: key }, code, js_params, run })

  it('is refused with 402 before it begins, and may be sent again when there are credits', async () => {
    const key = await origin.poor(0)
    const run = newRun()
    expect(await execute(key, run)).toMatchObject({ state: 'refused', status: 402 })
    const known = await origin.sealed(SEALED_OUTCOMES_PATH, { run_ids: [run.id], wait_ms: 0 })
    expect(known.unknown).toEqual([run.id])
  })

  it('that has ended is told of for nothing', async () => {
    const key = await origin.poor(1)
    const run = newRun()
    const first = await execute(key, run)
    expect(first.outcome).toMatchObject({ status: 'success', charged_cents: 1 })
    expect(await balanceOf(key)).toBe(0)
    expect(await execute(key, run)).toEqual(first)
  })

  it('double charge: many requests for it at once are charged once', async () => {
    const key = await origin.poor(10)
    const run = newRun()
    await Promise.all(Array.from({ length: 8 }, () => execute(key, run, SLEEPS, { ms: 200 })))
    expect(await balanceOf(key)).toBe(9)
  })

  it('that runs out of credits on the way has failed, for good', async () => {
    const key = await origin.poor(1)
    const run = newRun()
    const { outcome } = await execute(key, run, SLEEPS, { ms: 4_000 })
    expect(outcome).toMatchObject({
      status: 'failed',
      code: 'out_of_credits',
      charged_cents: 0,
      logs: [{ text: 'began' }],
    })
    expect((await execute(key, run, SLEEPS, { ms: 4_000 })).outcome).toEqual(outcome)
    expect(await balanceOf(key)).toBe(1)
  })

  it('with a ledger that is away is refused with 503, never 402', async () => {
    const { services } = origin
    const own = services.executions
    const db = new Proxy(origin.database.db, {
      get: () => () => Promise.reject(new Error('connection refused')),
    })
    const { now, log } = services
    services.executions = executionsWith(
      new Credits({
        db,
        exclusive: true,
        processId: 'away',
        starterCents: 0,
        log,
        now,
        monotonic: now,
        sleep,
        newId: randomUUID,
      }),
    )
    try {
      const answer = await execute(await origin.poor(1), newRun())
      expect(answer).toMatchObject({ state: 'refused', status: 503 })
    } finally {
      services.executions = own
    }
  })
})

describe('billing', () => {
  it('shows the starter credits of a new account, with a text beside them', async () => {
    const { body } = await origin.core('billing/balance', { key: await origin.account() })
    expect(body).toEqual({
      balance_cents: 100_000,
      reserved_cents: 0,
      debt_cents: 0,
      balance_display: '$1000.00',
    })
  })

  it('shows the balance to a usage key as well, and to nobody without a key', async () => {
    const key = await origin.poor(7)
    const usage = await origin.usageKey(key, {})
    expect(await balanceOf(usage)).toBe(6)
    expect((await origin.core('billing/balance', {})).status).toBe(401)
  })

  it.each([
    ['processor_config', undefined],
    ['create_payment_intent', { amount_cents: 500 }],
    ['confirm_payment', { payment_intent_id: 'pi_1' }],
  ])('%s is 503 while no processor is configured', async (path, body) => {
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
  ])('%s with %o is %i', async (path, body, status) => {
    const key = await origin.poor(0)
    expect((await origin.core(`billing/${path}`, { key, body })).status).toBe(status)
  })

  it.each(['create_payment_intent', 'confirm_payment'])('%s needs a key', async (path) => {
    expect((await origin.core(`billing/${path}`, { body: {} })).status).toBe(401)
  })
})
