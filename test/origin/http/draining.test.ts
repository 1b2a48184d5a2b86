import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { Drain } from '../../../origin/admission/drain.ts'
import { createOriginApp } from '../../../origin/app.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import { operations } from '../../../origin/http/operations.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { SEALED_EXECUTE_PATH, SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { keptTemplate } from '../actions/kept-template.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, keyForAllActions } from './runs-client.ts'
import { passOn } from './sealed-http-client.ts'
import { type Known, POLICY, VALID_REQUESTS } from './valid-requests.ts'

let origin: TestOrigin
let accountKey: string
/** Usage key of the account. */
let key: string
let known: Known
beforeAll(async () => {
  origin = await startOrigin()
  accountKey = await origin.account()
  key = await keyForAllActions(origin, accountKey)
  const { pkp_id: pkpId } = await origin.policyWallet(accountKey, POLICY)
  const group = await origin.group(accountKey, { pkp_ids_permitted: [pkpId] })
  const cid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
  const transaction = await origin.transaction(accountKey, pkpId)
  known = { group, pkpId, cid, usageKeyHash: origin.hashOf(key), transaction }
})
afterAll(() => origin.close())

const CODE = 'async function main({ n }) { return n }'
const SLOW = `async function main({ n, ms }) {
  await new Promise((done) => setTimeout(done, ms))
  return n
}`
/** Only detects hangs. */
const PATIENT = { timeout: 60_000 }
const limits = { wallMs: 20_000, cpuMs: 1_000 }
const newRun = () => ({ id: 'T'.repeat(32) + randomBytes(12).toString('base64url'), attempt: 1 })

let drain: Drain
let pool: ActionPool
let app: OriginApp

/** Starts a process with one executor, which the test lets drain. */
async function startProcess(): Promise<() => Promise<void>> {
  drain = new Drain()
  pool = createActionPool({ min: 1, max: 1, template: keptTemplate() })
  await pool.ready()
  const executions = new Executions({ ...origin.services, pool, limits, drain })
  app = createOriginApp({ ...origin.services, drain, executions })
  return () => pool.close()
}
const beginDrain = () => {
  drain.begin()
  pool.drain()
}

const execute = (run: ReturnType<typeof newRun>, fields: object = {}) =>
  executeRun(
    origin,
    { credential: { api_key: key }, code: CODE, js_params: { n: 1 }, run, ...fields },
    { app },
  )
async function sealed(path: string, fields: object, mode: 'psk' | 'base' = 'psk') {
  const { body, open } = await origin.seal(path, fields, mode)
  const response = await app.request(path, { method: 'POST', body })
  const bytes = await open(new Uint8Array(await response.arrayBuffer()))
  return { response, answer: JSON.parse(Buffer.from(bytes).toString('utf8')) }
}
const outcomes = async (run_ids: string[], wait_ms = 0) =>
  (await sealed(SEALED_OUTCOMES_PATH, { run_ids, wait_ms })).answer
const balance = async () =>
  (await origin.core('billing/balance', { key: accountKey })).body.balance_cents

it('a process that does not drain keeps connections open', async () => {
  const answer = await origin.core('list_groups', { key: accountKey })
  expect(answer.headers.has('connection')).toBe(false)
})

const REFUSED = { status: 503, error: 'service_unavailable', reason: 'draining' }

describe('a process that drains', () => {
  beforeAll(async () => {
    const close = await startProcess()
    beginDrain()
    return close
  })

  it.each(operations.filter(({ method }) => method === 'POST').map(({ path }) => path))(
    'refuses POST %s with 503, before it reads the key, and charges nothing',
    async (path) => {
      const before = await balance()
      const { body = {} } = VALID_REQUESTS[path]!(known)
      for (const sentKey of [accountKey, 'nobody']) {
        const answer = await origin.call(path, { app, key: sentKey, body, method: 'POST' })
        expect([answer.status, answer.body.error, answer.body.reason]).toEqual(
          Object.values(REFUSED),
        )
        expect(answer.headers.get('retry-after')).toBe('1')
        expect(answer.headers.get('connection')).toBe('close')
      }
      expect(await balance()).toBe(before)
    },
  )

  it.each(
    operations
      .filter(
        ({ method, path }) => method === 'GET' && path !== '/core/v1/billing/processor_config',
      )
      .map(({ path }) => path),
  )('answers GET %s, and closes the connection', async (path) => {
    const { query = '' } = VALID_REQUESTS[path]!(known)
    const answer = await origin.call(`${path}${query}`, { app, key: accountKey })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('connection')).toBe('close')
  })

  it('refuses requests that the edge forwards, and sealed calls of clients', async () => {
    const forwarded = await passOn(
      origin,
      {
        method: 'POST',
        path: '/core/v1/svc_action',
        headers: [
          ['x-api-key', key],
          ['content-type', 'application/json'],
        ],
        body: JSON.stringify({ code: CODE }),
      },
      { app },
    )
    expect(forwarded).toMatchObject({ status: 503, body: { reason: 'draining' } })
    expect(forwarded.headers.get('retry-after')).toBe('1')
    const call = { credential: { api_key: key }, code: CODE, js_params: {} }
    const { answer, response } = await sealed(SEALED_EXECUTE_PATH, call, 'base')
    expect(answer).toMatchObject({ state: 'refused', ...REFUSED, retry_after_s: 1 })
    expect(response.headers.get('connection')).toBe('close')
  })

  it('forgets the Idempotency-Key of a call that it refuses', async () => {
    const request = { key, body: { code: CODE, js_params: { n: 5 } } }
    const headers = { 'idempotency-key': 'drained' }
    expect((await origin.core('svc_action', { ...request, headers, app })).status).toBe(503)
    const elsewhere = await origin.core('svc_action', { ...request, headers })
    expect([elsewhere.status, elsewhere.body.response]).toEqual([200, 5])
    expect(elsewhere.headers.has('idempotent-replayed')).toBe(false)
  })
})

describe('a run of a trigger', () => {
  beforeEach(startProcess)

  it('is refused without a claim or a charge, and can be executed by another process', async () => {
    beginDrain()
    const run = newRun()
    const reserve = vi.spyOn(origin.services.credits, 'reserve')
    expect(await execute(run)).toMatchObject({ state: 'refused', ...REFUSED, retry_after_s: 1 })
    expect(reserve).not.toHaveBeenCalled()
    reserve.mockRestore()
    expect((await outcomes([run.id])).unknown).toEqual([run.id])
    const other = { credential: { api_key: key }, code: CODE, js_params: { n: 1 }, run }
    expect(await executeRun(origin, other)).toMatchObject({ state: 'ended' })
  })

  it('that is in flight ends, and can still be joined and polled', async () => {
    const run = newRun()
    const slow = { code: SLOW, js_params: { n: 7, ms: 800 } }
    expect(await execute(run, { ...slow, wait_ms: 50 })).toEqual({ state: 'running' })
    beginDrain()
    expect(drain.inFlight, 'the drain waits for it').toBe(1)
    const [joined, polled] = await Promise.all([execute(run, slow), outcomes([run.id], 20_000)])
    expect(joined).toMatchObject({ state: 'ended', outcome: { response: 7 } })
    expect(polled.ended[run.id]).toEqual(joined.outcome)
    expect(await drain.wait(60_000)).toBe(0)
  })

  it('that has ended is answered with its stored outcome', async () => {
    const run = newRun()
    const first = await execute(run)
    beginDrain()
    expect(await execute(run)).toEqual(first)
  })

  it('that waits for an executor is released, and is not lost', async () => {
    const [running, waiting] = [newRun(), newRun()]
    // Simultaneous runs of an action wait until its first run has ended.
    await execute(newRun(), { code: SLOW, js_params: { n: 0, ms: 0 } })
    const slow = { code: SLOW, js_params: { n: 7, ms: 1_500 }, wait_ms: 0 }
    await execute(running, slow)
    const sent = execute(waiting, slow)
    await expect.poll(() => pool.load().waiting, PATIENT).toBe(1)
    const logged = origin.logs.length
    beginDrain()
    expect(await sent).toEqual({ state: 'running' })
    expect(await drain.wait(60_000)).toBe(0)
    const answer = await outcomes([running.id, waiting.id])
    expect(answer.ended[running.id]).toMatchObject({ status: 'success', response: 7 })
    expect(answer.unknown).toEqual([waiting.id])
    const events = origin.logs.slice(logged).map(({ event }) => event)
    expect(events).not.toContain('run.lost')
    expect(events).not.toContain('run.started')
  })
})

describe('a long poll for the run of another process', () => {
  beforeEach(startProcess)

  it('is answered when the drain is over', async () => {
    const run = newRun()
    const { account } = origin.services.mirror.current().principal(origin.hashOf(key))!
    await origin.services.claims.claim({ accountHash: account.hash, runId: run.id }, 1)
    const states = vi.spyOn(origin.services.claims, 'states')
    const polled = outcomes([run.id], 25_000)
    await expect.poll(() => states.mock.calls.length, PATIENT).toBeGreaterThan(0)
    states.mockRestore()
    beginDrain()
    expect(await drain.wait(60_000), 'the poll does not delay the drain').toBe(0)
    drain.end()
    expect(await polled).toMatchObject({ running: [run.id] })
  })
})
