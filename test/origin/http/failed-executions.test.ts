import { randomBytes, randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { Credits } from '../../../origin/credits/credits.ts'
import { abortableSleep } from '../../../origin/timeout.ts'
import { windowSums } from '../../../origin/db/schema.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { FAILED_EXECUTION_MS, FAILED_EXECUTION_PAIRS } from '../../../shared/limits.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, keyForAllActions } from './runs-client.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const ECHO = 'function main(params) { return params }'
const THROWS = 'function main() { throw new Error("no") }'
const SLEEPS_AND_THROWS = `async function main({ ms }) {
  await new Promise((done) => setTimeout(done, ms))
  throw new Error('no')
}`
const SLEEPS = SLEEPS_AND_THROWS.replace("throw new Error('no')", 'return ms')

/** Records failures as if they had happened, so that no test has to fail for a minute. */
async function haveFailed(
  account: string,
  series: string,
  ms: number,
  at = Date.now(),
): Promise<void> {
  const step = new Date(Math.floor(at / 60_000) * 60_000)
  const expiresAt = new Date(step.getTime() + 61 * 60_000)
  const row = { accountHash: account, series: `failed${series}`, step, amount: ms, expiresAt }
  await origin.database.db.insert(windowSums).values(row)
}

const pairOf = async (key: string, code: string) =>
  `/${origin.hashOf(key)}/${await actionCid(code)}`

async function failedMs(account: string, series: string): Promise<number> {
  await origin.services.credits.flush()
  const ofSeries = and(
    eq(windowSums.accountHash, account),
    eq(windowSums.series, `failed${series}`),
  )
  const rows = await origin.database.db.select().from(windowSums).where(ofSeries)
  return rows.reduce((sum, { amount }) => sum + amount, 0)
}

/** The app of another process on the same database, with another time limit for runs. */
function anotherApp({
  wallMs = 10_000,
  credits = newCredits(),
  pool = origin.pool,
}: { wallMs?: number; credits?: Credits; pool?: ActionPool } = {}) {
  const { services } = origin
  const limits = { wallMs, cpuMs: 5_000 }
  const executions = new Executions({ ...services, pool, credits, limits })
  return createOriginApp({ ...services, credits, executions })
}

/** An idle node with an executor for each run. Every run returns after `ms`. */
function sleepingPool(ms: number): ActionPool {
  return {
    refusal: () => undefined,
    load: () => origin.pool.load(),
    ready: async () => {},
    drain: () => {},
    close: async () => {},
    run: async (_request, _capability, control) => {
      control?.started?.()
      await abortableSleep(ms)
      return { kind: 'returned', value: 'null', logs: [], durationMs: ms }
    },
  }
}

function newCredits(): Credits {
  const { now, log } = origin.services
  return new Credits({
    db: origin.database.db,
    processId: randomUUID(),
    starterCents: 0,
    now,
    log,
    monotonic: now,
    sleep: abortableSleep,
    newId: randomUUID,
  })
}

const newRun = () => ({ id: 'T'.repeat(32) + randomBytes(12).toString('base64url'), attempt: 1 })
const count = (answers: readonly { status: number; body: { reason?: string } }[], reason: string) =>
  answers.filter(({ status, body }) => status === 429 && body.reason === reason).length

describe('the allowance for failed executions', () => {
  it('counts runs that throw, but not runs that succeed', async () => {
    const key = await origin.account()
    await origin.run(key, SLEEPS_AND_THROWS, { ms: 50 })
    await origin.run(key, SLEEPS, { ms: 50 })
    const account = origin.hashOf(key)
    expect(await failedMs(account, await pairOf(key, SLEEPS_AND_THROWS))).toBeGreaterThanOrEqual(50)
    expect(await failedMs(account, '')).toBe(
      await failedMs(account, await pairOf(key, SLEEPS_AND_THROWS)),
    )
    expect(await failedMs(account, await pairOf(key, SLEEPS))).toBe(0)
  })

  it('counts a run that was stopped for lack of credit', async () => {
    const key = await origin.poor(1)
    const { status, body } = await origin.run(key, SLEEPS, { ms: 8_000 })
    expect([status, body.reason]).toEqual([402, 'out_of_credits'])
    expect(await failedMs(origin.hashOf(key), await pairOf(key, SLEEPS))).toBeGreaterThan(900)
  })

  it('does not replace the cap of a key, which stops a running execution with 402', async () => {
    const key = await origin.account()
    const keyHash = origin.hashOf(key)
    const { credits } = origin.services
    await credits.setCap({ accountHash: keyHash, keyHash }, { capCents: 1, windowSeconds: 3_600 })
    const { status, body } = await origin.run(key, SLEEPS, { ms: 8_000 })
    expect([status, body.reason]).toEqual([402, 'spend_cap_reached'])
    expect(body.message).toContain('was stopped after 1 s')
    expect((await origin.run(key, ECHO)).status).toBe(200)
    const refused = await origin.run(key, ECHO)
    expect([refused.status, refused.body.reason]).toEqual([402, 'spend_cap_reached'])
    expect(refused.body.message).toContain(
      'This costs $0.01 and the key can spend $0.00 more: its cap is $0.01 per 3600 s.',
    )
  })

  it('free compute: of 64 concurrent failures, only as many run as fit into it', async () => {
    const key = await origin.account()
    const account = origin.hashOf(key)
    const pair = await pairOf(key, SLEEPS_AND_THROWS)
    await haveFailed(account, pair, FAILED_EXECUTION_MS - 3_000)
    const app = anotherApp({ wallMs: 1_000, credits: origin.services.credits })
    const body = { code: SLEEPS_AND_THROWS, js_params: { ms: 200 } }
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => origin.core('svc_action', { key, app, body })),
    )
    const ran = answers.filter(({ status }) => status === 500).length
    expect(ran).toBeGreaterThanOrEqual(3)
    expect(ran).toBeLessThanOrEqual(15)
    const refused = count(answers, 'failed_execution_allowance') + count(answers, 'overloaded')
    expect(ran + refused).toBe(64)
    expect(await failedMs(account, pair)).toBeLessThanOrEqual(FAILED_EXECUTION_MS)
  })

  it('returns 429 with a retry time when it is spent', async () => {
    const key = await origin.account()
    await haveFailed(origin.hashOf(key), await pairOf(key, THROWS), FAILED_EXECUTION_MS)
    const { status, headers, body } = await origin.run(key, THROWS)
    expect([status, body.reason]).toEqual([429, 'failed_execution_allowance'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(59 * 60)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(61 * 60)
    expect(body.message).toContain('of this action by this key')
  })

  it('is checked after 402 and 403', async () => {
    const [poor, key] = [await origin.poor(0), await origin.account()]
    const usage = await origin.usageKey(key, {})
    await haveFailed(origin.hashOf(poor), await pairOf(poor, THROWS), FAILED_EXECUTION_MS)
    await haveFailed(origin.hashOf(key), await pairOf(usage, THROWS), FAILED_EXECUTION_MS)
    expect((await origin.run(poor, THROWS)).status).toBe(402)
    expect((await origin.run(usage, THROWS)).status).toBe(403)
  })

  it('flood: forged webhooks on one trigger do not affect runs of other keys and actions', async () => {
    const key = await origin.account()
    const account = origin.hashOf(key)
    const group = await origin.group(key, { cid_hashes_permitted: ['0'] })
    const [flooded, other] = await Promise.all(
      [0, 1].map(() => origin.usageKey(key, { execute_in_groups: [group] })),
    )
    const pair = await pairOf(flooded!, THROWS)
    await haveFailed(account, pair, FAILED_EXECUTION_MS - 1_100)
    const send = () =>
      executeRun(origin, { credential: { api_key: flooded! }, code: THROWS, run: newRun() })
    const flood = []
    for (let i = 0; i < 40; i++) flood.push(...(await Promise.all([send(), send(), send()])))
    const refused = flood.filter(({ state }) => state === 'refused')
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 429, retry_after_s: expect.any(Number) })
    expect(refused.map(({ reason }) => reason)).toContain('failed_execution_allowance')
    expect(await failedMs(account, pair)).toBeLessThanOrEqual(FAILED_EXECUTION_MS)
    expect((await origin.run(other!, ECHO)).status).toBe(200)
    expect((await origin.run(other!, THROWS)).status).toBe(500)
    expect((await origin.run(flooded!, ECHO)).status).toBe(200)
  })

  it('free compute: is not extended for the account by a comment that makes another action', async () => {
    const key = await origin.account()
    const all = FAILED_EXECUTION_PAIRS * FAILED_EXECUTION_MS
    await haveFailed(origin.hashOf(key), '', all)
    const { status, body } = await origin.run(key, `${THROWS} // again`)
    expect([status, body.reason]).toEqual([429, 'failed_execution_allowance'])
    expect(body.message).toContain('of this account')
    expect((await origin.run(await origin.account(), `${THROWS} // again`)).status).toBe(500)
  })

  it('does not stop a single run', async () => {
    const key = await origin.account()
    const account = origin.hashOf(key)
    await haveFailed(account, await pairOf(key, SLEEPS), FAILED_EXECUTION_MS - 2_400)
    expect((await origin.run(key, SLEEPS, { ms: 3_200 })).status).toBe(200)
  })

  it('stops one of several runs with 429 when it is spent', async () => {
    const key = await origin.account()
    await haveFailed(origin.hashOf(key), await pairOf(key, SLEEPS), FAILED_EXECUTION_MS - 2_000)
    // From now on such a run is expected to take no time, and it has paid for another second.
    expect((await origin.run(key, SLEEPS, { ms: 1 })).status).toBe(200)
    const both = await Promise.all([1, 2].map(() => origin.run(key, SLEEPS, { ms: 8_000 })))
    const stopped = both.map(({ status, body }) => [status, body.reason, body.message])
    expect(stopped).toContainEqual([
      429,
      'failed_execution_allowance',
      'The run was stopped after 1 s: the free allowance for failed runs is exhausted. Nothing was charged.',
    ])
  })

  it('lets eight first runs of 3 s at once succeed', async () => {
    const key = await origin.account()
    const { credits } = origin.services
    const app = anotherApp({ wallMs: 120_000, credits, pool: sleepingPool(3_000) })
    const body = { code: `${ECHO} // 3 s` }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => origin.core('svc_action', { key, app, body })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(answers.map(({ body: { charged_cents } }) => charged_cents)).toEqual(
      Array.from({ length: 8 }, () => expect.toSatisfy((cents: number) => cents >= 3)),
    )
    expect(await failedMs(origin.hashOf(key), '')).toBe(0)
  })

  it('lets 64 quick runs at once by a new key succeed', async () => {
    const key = await origin.account()
    const app = anotherApp({ wallMs: 120_000, credits: origin.services.credits })
    const body = { code: `${ECHO} // quick` }
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => origin.core('svc_action', { key, app, body })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 64 }, () => 200))
  })

  it('is not renewed when a process starts', async () => {
    const key = await origin.poor(100)
    await haveFailed(origin.hashOf(key), await pairOf(key, SLEEPS_AND_THROWS), 58_950)
    const first = newCredits()
    const failed = await origin.core('svc_action', {
      key,
      app: anotherApp({ credits: first }),
      body: { code: SLEEPS_AND_THROWS, js_params: { ms: 100 } },
    })
    expect(failed.status).toBe(500)
    await first.close()
    const { status, body } = await origin.core('svc_action', {
      key,
      app: anotherApp(),
      body: { code: SLEEPS_AND_THROWS, js_params: { ms: 100 } },
    })
    expect([status, body.reason]).toEqual([429, 'failed_execution_allowance'])
  })

  it('still returns the result of a finished run when it is spent', async () => {
    const key = await origin.poor(100)
    const run = newRun()
    const api_key = await keyForAllActions(origin, key)
    const sent = { credential: { api_key }, code: THROWS }
    const { services, pool } = origin
    const own = services.executions
    const limits = { wallMs: 10_000, cpuMs: 1_000 }
    try {
      const before = newCredits()
      services.executions = new Executions({ ...services, pool, credits: before, limits })
      const first = await executeRun(origin, { ...sent, run })
      expect(first.outcome).toMatchObject({ status: 'failed', code: 'action_threw' })
      await before.close()
      const later = Date.now() + 60_000
      const pair = await pairOf(api_key, THROWS)
      await haveFailed(origin.hashOf(key), pair, FAILED_EXECUTION_MS, later)

      services.executions = new Executions({ ...services, pool, credits: newCredits(), limits })
      expect(await executeRun(origin, { ...sent, run })).toEqual(first)
      const other = await executeRun(origin, { ...sent, run: newRun() })
      expect(other).toMatchObject({ state: 'refused', reason: 'failed_execution_allowance' })
    } finally {
      services.executions = own
    }
  })
})
