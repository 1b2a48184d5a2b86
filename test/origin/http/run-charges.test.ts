import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, keyForAllActions } from './runs-client.ts'
import { away, goingAway } from '../credits/unreliable-database.ts'
import { appWith, creditsOver, executionsWith } from './other-ledger.ts'

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
const newRun = () => ({ id: 'T'.repeat(32) + randomBytes(12).toString('base64url'), attempt: 1 })

describe('an execution', () => {
  it('costs a cent for a short run, and reports it', async () => {
    const key = await origin.poor(3)
    const { body } = await origin.run(key, ECHO)
    expect(body.charged_cents).toBe(1)
    expect(await balanceOf(key)).toBe(2)
  })

  it('costs a cent for each second that it started', async () => {
    const key = await origin.poor(5)
    const { body } = await origin.run(key, SLEEPS, { ms: 1_300 })
    expect(body.charged_cents).toBe(2)
    expect(await balanceOf(key)).toBe(3)
  })

  it('is free of charge if it fails', async () => {
    const key = await origin.poor(3)
    expect((await origin.run(key, THROWS)).status).toBe(500)
    expect(await balanceOf(key)).toBe(3)
    expect((await origin.run(key, ECHO)).status).toBe(200)
  })

  it('is stopped with 402 out_of_credits and not charged if its next second cannot be paid', async () => {
    const key = await origin.poor(2)
    const began = performance.now()
    const { status, body } = await origin.run(key, SLEEPS, { ms: 8_000 })
    expect(performance.now() - began).toBeLessThan(5_000)
    expect([status, body.reason]).toEqual([402, 'out_of_credits'])
    expect(body.message).toBe(
      'The run was stopped after 2 s: the next second costs $0.01, but the balance is $0.00 after the $0.02 reserved for this run. Nothing was charged.',
    )
    expect(await balanceOf(key)).toBe(2)
  })

  it('is stopped with 503 if the ledger becomes unavailable and its next second cannot be reserved', async () => {
    const ledger = goingAway(origin.database.db)
    const credits = creditsOver(origin, ledger.db)
    const app = appWith(origin, credits)
    const key = await origin.poor(1)
    const running = origin.core('svc_action', {
      key,
      app,
      body: { code: SLEEPS, js_params: { ms: 5_000 } },
    })
    setTimeout(() => (ledger.isAway = true), 250)
    const { status, body } = await running
    expect([status, body.error]).toEqual([503, 'service_unavailable'])
    expect(body.message).toContain('was stopped after 1 s')
    ledger.isAway = false
    expect((await credits.balance(origin.hashOf(key))).balance_cents).toBe(1)
  })

  it('free compute: is stopped even in a loop that never waits', async () => {
    const key = await origin.poor(1)
    const app = appWith(origin, origin.services.credits)
    const { status, body } = await origin.core('svc_action', { key, body: { code: SPINS }, app })
    expect([status, body.reason]).toEqual([402, 'out_of_credits'])
    expect(await balanceOf(key)).toBe(1)
  })

  it('overdraft: succeeds three times if eight start at once with three cents', async () => {
    const key = await origin.poor(3)
    const runs = Array.from({ length: 8 }, () => origin.run(key, SLEEPS, { ms: 300 }))
    const statuses = (await Promise.all(runs)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 402)).toHaveLength(5)
    expect(await balanceOf(key)).toBe(0)
  })

  it('is not started again under its Idempotency-Key after it ran out of credits', async () => {
    const key = await origin.poor(1)
    const request = {
      key,
      body: { code: SLEEPS, js_params: { ms: 5_000 } },
      headers: { 'idempotency-key': 'once' },
    }
    const first = await origin.core('svc_action', request)
    expect([first.status, first.body.reason]).toEqual([402, 'out_of_credits'])
    const begun = () => origin.logs.filter(({ event }) => event === 'run.started').length
    const before = begun()
    const again = await origin.core('svc_action', request)
    expect([again.status, again.body]).toEqual([402, first.body])
    expect(begun()).toBe(before)
  })
})

describe('a run with an ID', () => {
  const execute = (key: string, run: ReturnType<typeof newRun>, code = ECHO, js_params = {}) =>
    executeRun(origin, { credential: { api_key: key }, code, js_params, run })
  /** Returns a usage key of an account with exactly this balance. */
  const poor = async (cents: number) => keyForAllActions(origin, await origin.poor(cents + 2))

  it('is rejected with 402 before it starts, and can be sent again when there are credits', async () => {
    const key = await poor(0)
    const run = newRun()
    expect(await execute(key, run)).toMatchObject({ state: 'refused', status: 402 })
    const known = await origin.sealed(SEALED_OUTCOMES_PATH, { run_ids: [run.id], wait_ms: 0 })
    expect(known.unknown).toEqual([run.id])
  })

  it('is returned free of charge once it has finished', async () => {
    const key = await poor(1)
    const run = newRun()
    const first = await execute(key, run)
    expect(first.outcome).toMatchObject({ status: 'success', charged_cents: 1 })
    expect(await balanceOf(key)).toBe(0)
    expect(await execute(key, run)).toEqual(first)
  })

  it('double charge: is charged once for many requests at once', async () => {
    const key = await poor(10)
    const run = newRun()
    await Promise.all(Array.from({ length: 8 }, () => execute(key, run, SLEEPS, { ms: 200 })))
    expect(await balanceOf(key)).toBe(9)
  })

  it('fails permanently if it runs out of credits', async () => {
    const key = await poor(1)
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

  it('is rejected with 503, never 402, if the ledger is unavailable', async () => {
    const key = await poor(1)
    const { services } = origin
    const own = services.executions
    const credits = creditsOver(origin, away(origin.database.db))
    services.executions = executionsWith(origin, credits)
    try {
      const answer = await execute(key, newRun())
      expect(answer).toMatchObject({ state: 'refused', status: 503 })
    } finally {
      services.executions = own
    }
  })
})
