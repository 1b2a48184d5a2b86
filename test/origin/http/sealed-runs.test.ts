import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { RunClaims } from '../../../origin/runs/claims.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { SEALED_RUNS_PATH } from '../../../shared/wire/sealed-runs.ts'
import { SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { openFresh } from '../db/fresh-database.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, frameRuns, keyForAllActions, storedKey } from './runs-client.ts'
import { sealText } from './sealed-http-client.ts'

let origin: TestOrigin
let accountKey: string
/** Usage key of the account. */
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  accountKey = await origin.account()
  key = await keyForAllActions(origin, accountKey)
})
afterAll(() => origin.close())

const CODE = 'async function main({ n }) { return n }'
const SLOW = `async function main({ n, ms }) {
  await new Promise((done) => setTimeout(done, ms))
  return n
}`
const newRun = () => ({
  id: 'T'.repeat(32) + randomBytes(12).toString('base64url'),
  attempt: 1,
})
const started = (runId: string) =>
  origin.logs.filter(({ event, facts }) => event === 'run.started' && facts.run_id === runId).length
type Run = ReturnType<typeof newRun> & { retry_lost?: boolean }
const execute = (run: Run, fields: object = {}) =>
  executeRun(origin, {
    credential: { api_key: key },
    code: CODE,
    js_params: { n: 1 },
    run,
    ...fields,
  })
/** Executes a run, and repeats the request while it is running, because it may take longer than one request waits. */
async function executeToEnd(run: Run, fields: object) {
  for (;;) {
    const answer = await execute(run, fields)
    if (answer.state !== 'running') return answer
  }
}
const outcomes = (run_ids: string[], wait_ms = 0) =>
  origin.sealed(SEALED_OUTCOMES_PATH, { run_ids, wait_ms })

/** A pool in which every run loses its executor, before or after its start. */
const losingPool = (begun: boolean): ActionPool => ({
  run: async (_request, _capability, control) => {
    if (begun) control?.started()
    return { kind: 'lost', reason: 'gone', started: begun }
  },
  refusal: () => undefined,
  load: () => ({ starting: 0, free: 0, busy: 0, waiting: 0, isBroken: false }),
  ready: async () => {},
  drain: () => {},
  close: async () => {},
})
const limits = { wallMs: 1_000, cpuMs: 1_000 }

/** Returns the result of `act` while every run loses its executor, before or after its start. */
async function withoutExecutor<Answer>(begun: boolean, act: () => Promise<Answer>) {
  const { services } = origin
  const own = services.executions
  services.executions = new Executions({ ...services, pool: losingPool(begun), limits })
  try {
    return await act()
  } finally {
    services.executions = own
  }
}

/** Returns the result of `act` while claims cannot be read or written. */
async function withoutDatabase<Answer>(act: () => Promise<Answer>) {
  const { services } = origin
  const { claims, executions } = services
  const { db, close } = await openFresh()
  await close()
  services.claims = new RunClaims({
    db,
    processId: 'p',
    outcomeKey: randomBytes(32),
    now: Date.now,
  })
  services.executions = new Executions({ ...services, pool: losingPool(true), limits })
  try {
    return await act()
  } finally {
    Object.assign(services, { claims, executions })
  }
}

describe('while the database is unavailable', () => {
  const away = { state: 'refused', status: 503, retry_after_s: 2 }

  it('a run is rejected with 503, which uses no attempt, and can be executed later', async () => {
    const run = newRun()
    expect(await withoutDatabase(() => execute(run))).toMatchObject(away)
    expect(started(run.id)).toBe(0)
    expect(await execute(run)).toMatchObject({ state: 'ended' })
    expect(started(run.id)).toBe(1)
  })

  it('outcomes are rejected with 503', async () => {
    expect(await withoutDatabase(() => outcomes([newRun().id]))).toMatchObject(away)
  })
})

describe('bracket bomb: a returned value nested too deeply to be serialized', () => {
  const bomb = `async function main({ depth }) {
    let value = []
    for (let level = 1; level < depth; level++) value = [value]
    return value
  }`

  it.each([513, 4_500, 6_000, 20_000])(
    'of %i levels fails its run, and the outcome can be queried',
    async (depth) => {
      const run = newRun()
      const { outcome } = await executeToEnd(run, { code: bomb, js_params: { depth } })
      expect(outcome).toMatchObject({ status: 'failed' })
      expect((await outcomes([run.id])).ended[run.id]).toEqual(outcome)
    },
  )

  it('of 512 levels is a result', async () => {
    const { outcome } = await executeToEnd(newRun(), { code: bomb, js_params: { depth: 512 } })
    expect(outcome.status).toBe('success')
  })
})

describe('a run with an ID', () => {
  it('is executed once, however many requests for it arrive at once', async () => {
    const run = newRun()
    const all = Array.from({ length: 10 }, (_, n) =>
      execute(run, { code: SLOW, js_params: { n, ms: 300 } }),
    )
    const answers = await Promise.all(all)
    expect(started(run.id)).toBe(1)
    const ended = answers.filter(({ state }) => state === 'ended')
    expect(ended.length).toBeGreaterThan(0)
    expect(answers.every(({ state }) => state === 'ended' || state === 'running')).toBe(true)
    expect(new Set(ended.map(({ outcome }) => outcome.response)).size).toBe(1)
    expect((await outcomes([run.id], 5_000)).ended[run.id]).toEqual(ended[0].outcome)
  })

  it('returns its stored outcome when it is requested again, whatever code is sent then', async () => {
    const run = newRun()
    const first = await execute(run)
    const again = await execute({ ...run, attempt: 2 }, { js_params: { n: 99 }, code: `${CODE}  ` })
    expect(again).toEqual(first)
    expect(started(run.id)).toBe(1)
  })

  it('replay: returns the first outcome for a captured request, and runs nothing', async () => {
    const run = newRun()
    const credential = await storedKey(origin, key, 'T'.repeat(32))
    const plaintext = frameRuns(origin, { credential, runs: [{ ...run, code: CODE }] })
    const { body } = await sealText(origin, plaintext, 'psk', SEALED_RUNS_PATH)
    for (let time = 0; time < 3; time++)
      await (await origin.post(SEALED_RUNS_PATH, body)).arrayBuffer()
    expect(started(run.id)).toBe(1)
  })

  it('is reported as running when the wait is over, and can be joined', async () => {
    const run = newRun()
    const slow = { code: SLOW, js_params: { n: 7, ms: 600 } }
    expect(await execute(run, { ...slow, wait_ms: 50 })).toEqual({ state: 'running' })
    expect(await outcomes([run.id])).toEqual({
      state: 'known',
      ended: {},
      running: [run.id],
      unknown: [],
    })
    const joined = await execute({ ...run, attempt: 2 }, slow)
    expect(joined).toMatchObject({ state: 'ended', outcome: { response: 7 } })
    expect(started(run.id)).toBe(1)
  })

  it('is rejected and claims nothing if it is not permitted', async () => {
    const run = newRun()
    const api_key = await origin.usageKey(accountKey, {})
    expect(await execute(run, { credential: { api_key } })).toMatchObject({ status: 403 })
    expect((await outcomes([run.id])).unknown).toEqual([run.id])
    expect((await execute(run)).state).toBe('ended')
  })

  it('account mix-up: can be neither joined nor read by another account', async () => {
    const run = newRun()
    const api_key = await keyForAllActions(origin, await origin.account())
    const other = { credential: { api_key } }
    const mine = { code: SLOW, js_params: { n: 'mine', ms: 400 } }
    await execute(run, { ...mine, wait_ms: 0 })
    const theirs = await execute(run, { ...other, js_params: { n: 'theirs' } })
    expect(theirs).toMatchObject({ state: 'ended', outcome: { response: 'theirs' } })
    const joined = await execute(run, mine)
    expect(joined).toMatchObject({ state: 'ended', outcome: { response: 'mine' } })
  })

  it('can be sent again if no executor accepted it', async () => {
    const run = newRun()
    const refused = await withoutExecutor(false, () => execute(run))
    expect(refused).toMatchObject({ status: 503, error: 'service_unavailable', retry_after_s: 2 })
    expect((await execute(run)).state).toBe('ended')
  })

  it('fails as origin_lost if its executor disappeared after the start, and is not run again', async () => {
    const run = newRun()
    await withoutExecutor(true, () => execute(run))
    expect((await execute(run)).outcome).toMatchObject({ status: 'failed', code: 'origin_lost' })
    expect(started(run.id)).toBe(1)
  })

  it('is run again after a loss if that was requested, once for each later attempt', async () => {
    const run = { ...newRun(), retry_lost: true }
    await withoutExecutor(true, () => execute(run))
    const lost = { status: 'failed', code: 'origin_lost' }
    expect((await execute(run)).outcome).toMatchObject(lost)
    const second = { ...run, attempt: 2 }
    await withoutExecutor(true, () => execute(second))
    expect((await outcomes([run.id])).ended[run.id]).toMatchObject(lost)
    const third = { ...run, attempt: 3 }
    const answers = await Promise.all([1, 2, 3].map(() => execute(third, { wait_ms: 2_000 })))
    expect((await outcomes([run.id], 2_000)).ended[run.id]).toMatchObject({ status: 'success' })
    expect(answers.some(({ state }) => state === 'ended')).toBe(true)
    expect(started(run.id)).toBe(3)
    expect((await execute({ ...run, attempt: 4 })).outcome).toMatchObject({ status: 'success' })
    expect(started(run.id)).toBe(3)
  })

  it('stays lost and uses no attempt if no executor accepts the retry', async () => {
    const run = { ...newRun(), retry_lost: true }
    await withoutExecutor(true, () => execute(run))
    const second = { ...run, attempt: 2 }
    expect(await withoutExecutor(false, () => execute(second))).toMatchObject({ status: 503 })
    expect((await outcomes([run.id])).ended[run.id]).toMatchObject({ code: 'origin_lost' })
    expect((await execute(second)).outcome).toMatchObject({ status: 'success' })
  })
})

describe('/sealed/outcomes', () => {
  it('distinguishes finished, running and unknown runs, and responds at once when there is news', async () => {
    const [ended, running, unknown] = [newRun(), newRun(), newRun()]
    await execute(ended)
    await execute(running, { code: SLOW, js_params: { n: 1, ms: 800 }, wait_ms: 0 })
    const asked = performance.now()
    const answer = await outcomes([ended.id, running.id, unknown.id], 20_000)
    expect(performance.now() - asked).toBeLessThan(700)
    expect(Object.keys(answer.ended)).toEqual([ended.id])
    expect(answer).toMatchObject({ running: [running.id], unknown: [unknown.id] })
    expect((await outcomes([running.id], 5_000)).ended[running.id]).toMatchObject({ response: 1 })
  })

  it('returns the running ones when the wait is over', async () => {
    const run = newRun()
    await execute(run, { code: SLOW, js_params: { n: 1, ms: 1_000 }, wait_ms: 0 })
    expect(await outcomes([run.id], 100)).toMatchObject({ running: [run.id], ended: {} })
  })

  it('finds the outcome of a run that another process executes', async () => {
    const run = newRun()
    const { db } = origin.database
    const outcomeKey = origin.services.keyring.outcomeKey()
    const other = new RunClaims({
      db,
      processId: 'other',
      outcomeKey,
      now: Date.now,
    })
    const { account } = origin.services.mirror.current().principal(origin.hashOf(key))!
    const runKey = { accountHash: account.hash, runId: run.id }
    await other.claim(runKey, 1)
    expect(await execute(run)).toEqual({ state: 'running' })
    const waiting = outcomes([run.id], 10_000)
    await sleep(100)
    const base = { action_cid: '', duration_ms: 1, logs: [], charged_cents: 0 }
    await other.finish(runKey, { status: 'success', response: 'elsewhere', ...base })
    expect((await waiting).ended[run.id]).toMatchObject({ response: 'elsewhere' })
    expect(started(run.id)).toBe(0)
  })

  it('replay: seals the response to the sender of the original request, and no other', async () => {
    const fields = { run_ids: [newRun().id], wait_ms: 0 }
    const { body, open } = await origin.seal(SEALED_OUTCOMES_PATH, fields)
    await origin.post(SEALED_OUTCOMES_PATH, body)
    const second = await (await origin.post(SEALED_OUTCOMES_PATH, body)).arrayBuffer()
    const response = new Uint8Array(second)
    const answer = JSON.parse(Buffer.from(await open(response)).toString())
    expect(answer).toMatchObject({ state: 'known', unknown: fields.run_ids })
    const attacker = await origin.seal(SEALED_OUTCOMES_PATH, fields)
    await expect(attacker.open(response)).rejects.toThrow('cannot be decrypted')
  })

  it('rejects more IDs than allowed, without reading each', async () => {
    const began = performance.now()
    const answer = await outcomes(Array(300_000).fill(5) as string[])
    expect(answer.status).toBe(400)
    expect(answer.message.length).toBeLessThan(1_000)
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})
