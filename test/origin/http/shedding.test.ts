import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CpuPressure } from '../../../origin/admission/cpu-pressure.ts'
import { EventLoopLoad } from '../../../origin/admission/event-loop-load.ts'
import { type ActionPoolOptions, createActionPool } from '../../../origin/actions/pool.ts'
import { RETRY_AFTER_MAX_MS, QUEUE_MAX } from '../../../origin/actions/pool/options.ts'
import { ExecutorShares } from '../../../origin/actions/pool/shares.ts'
import type { ActionPool, ActionResult } from '../../../origin/actions/run.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { RUN_ID_CHARACTERS } from '../../../shared/ids.ts'
import { SEALED_EXECUTE_PATH, SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, keyForAllActions } from './runs-client.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const CODE = 'async function main() { return 1 }'
const RUN_ID = 'r'.repeat(RUN_ID_CHARACTERS)
const rest = (ms: number) => new Promise((resume) => setTimeout(resume, ms))

/** Keeps the event loop busy, with `turnMs` for each of its turns. */
async function busy(turnMs: number, forMs: number): Promise<void> {
  const end = performance.now() + forMs
  while (performance.now() < end) {
    const turnEnd = performance.now() + turnMs
    while (performance.now() < turnEnd);
    await new Promise((resume) => setImmediate(resume))
  }
}

/** Sends a sealed request to an app, and opens the response. */
async function sealed(app: ReturnType<typeof createOriginApp>, path: string, fields: object) {
  const { body, open } = await origin.seal(path, fields)
  const response = await app.request(path, { method: 'POST', body })
  expect(response.status).toBe(200)
  const bytes = await open(new Uint8Array(await response.arrayBuffer()))
  return JSON.parse(Buffer.from(bytes).toString('utf8'))
}

const execution = () => ({
  credential: { api_key: key },
  code: CODE,
  js_params: {},
  wait_ms: 1e3,
})

describe('a node with a lagging event loop', () => {
  it('sheds requests with 429 and Retry-After, still serves health and outcomes, and recovers', async () => {
    const load = new EventLoopLoad(50)
    const app = createOriginApp({ ...origin.services, load })
    await busy(150, 2_500)
    const refused = await origin.core('svc_action', { app, key, body: { code: CODE } })
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ error: 'too_many_requests', reason: 'overloaded' })
    expect(refused.body.docs_url).toBe('https://origin.test/docs/errors#overloaded')
    expect(refused.headers.get('x-svc-error')).toBe('overloaded')
    expect(refused.headers.get('access-control-expose-headers')).toContain('x-svc-error')
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(refused.headers.get('access-control-expose-headers')).toContain('retry-after')
    const unknown = await origin.core('svc_action', { app, body: { code: CODE } })
    expect(unknown.status, 'before it looks at the key').toBe(429)

    expect((await origin.call('/health', { app })).status).toBe(200)
    const outcomes = { run_ids: [RUN_ID], wait_ms: 0 }
    const known = await sealed(app, SEALED_OUTCOMES_PATH, outcomes)
    expect(known).toMatchObject({ state: 'known', unknown: [RUN_ID] })
    const run = await sealed(app, SEALED_EXECUTE_PATH, execution())
    expect(run).toMatchObject({ state: 'refused', status: 429, retry_after_s: 2 })

    await rest(2_500)
    expect((await origin.core('svc_action', { app, key, body: { code: CODE } })).status).toBe(200)
    load.close()
  })

  it('is not overloaded after a single long task', async () => {
    const load = new EventLoopLoad(50)
    await rest(1_200)
    await busy(400, 1)
    await rest(1_200)
    expect(() => load.requireRoom()).not.toThrow()
    load.close()
  })
})

/** Runs `act` with a separate pool, so that its queue can be filled. */
async function withPool(options: ActionPoolOptions, act: (given: OwnPool) => Promise<void>) {
  const pool = createActionPool(options)
  await pool.ready()
  const { services } = origin
  const limits = { wallMs: 20_000, cpuMs: 20_000 }
  const executions = new Executions({ ...services, pool, limits })
  const started: string[] = []
  const fill = (account: string, runs: number, code = SPIN) =>
    Array.from({ length: runs }, () =>
      pool.run({ account, code, params: '{}', ...limits }, NO_KEYS, {
        signal: new AbortController().signal,
        started: () => started.push(account),
      }),
    )
  try {
    await act({ pool, app: createOriginApp({ ...origin.services, executions }), fill, started })
  } finally {
    await pool.close()
  }
}
type OwnPool = {
  pool: ActionPool
  app: ReturnType<typeof createOriginApp>
  fill: (account: string, runs: number, code?: string) => Promise<ActionResult>[]
  started: string[]
}
const SPIN = 'async function main() { for (;;); }'
const NO_KEYS = { keyOperation: () => Promise.reject(new Error('none')) }

async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 10_000
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition did not come true')
    await rest(20)
  }
}

describe('a pool with too many waiting runs', () => {
  it('returns 429 to the account that floods it, both in the clear and sealed, and claims nothing', async () => {
    await withPool({ min: 1, max: 1 }, async ({ app, fill }) => {
      const accountHash = origin.hashOf(key)
      void fill(accountHash, QUEUE_MAX)
      const refused = await origin.core('svc_action', { app, key, body: { code: CODE } })
      expect([refused.status, refused.body.reason]).toEqual([429, 'overloaded'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      const run = { id: RUN_ID, attempt: 1 }
      const credential = { api_key: await keyForAllActions(origin, key) }
      const answer = await executeRun(origin, { credential, code: CODE, run }, { app })
      const names = { error: 'too_many_requests', reason: 'overloaded' }
      expect(answer).toMatchObject({ state: 'refused', status: 429, ...names })
      expect(await origin.services.claims.state({ accountHash, runId: run.id })).toBeUndefined()
    })
  })

  it('flood of one account: serves another account at once', async () => {
    await withPool({ min: 2, max: 4 }, async ({ app, fill, started }) => {
      void fill('flood', QUEUE_MAX)
      await until(() => started.length > 0)
      const answer = await origin.core('svc_action', { app, key, body: { code: CODE } })
      expect(answer.status).toBe(200)
    })
  })

  it('suggests an early retry even if the queue is long, so that it never runs empty', async () => {
    await withPool({ min: 1, max: 1 }, async ({ pool, fill }) => {
      const code = 'const main = () => new Promise((done) => setTimeout(done, 1_000))'
      await Promise.all(fill('slow', 2, code))
      void fill('slow', QUEUE_MAX, code)
      const full = pool.refusal({ account: 'slow', code, params: '{}' })
      expect(full).toMatchObject({ kind: 'lost', started: false, full: true })
      expect(full?.retryAfterMs).toBe(RETRY_AFTER_MAX_MS)
    })
  })

  it('suggests a later retry for a longer queue and for longer runs', () => {
    const shares = new ExecutorShares({ max: 4, cores: 2, isShared: () => false })
    const held = (account: string, ms: number) => {
      for (let run = 0; run < 50; run++) {
        shares.started(account)
        shares.started(account)
        shares.ended({ account, computing: true, isLong: false }, ms)
      }
    }
    held('quick', 1)
    held('slow', 10)
    expect(shares.waitMs('quick', 20)).toBeCloseTo(2 * shares.waitMs('quick', 10))
    expect(shares.waitMs('slow', 10)).toBeGreaterThan(5 * shares.waitMs('quick', 10))
  })
})

describe('a machine under CPU pressure', () => {
  it('accepts no further run of an account that has some, but always one of an account without any', async () => {
    await withPool(
      { min: 2, max: 2, isUnderPressure: () => true },
      async ({ app, fill, started }) => {
        void fill(origin.hashOf(key), 1)
        await until(() => started.length === 1)
        const refused = await origin.core('svc_action', { app, key, body: { code: CODE } })
        expect([refused.status, refused.body.reason]).toEqual([429, 'overloaded'])
        const other = await origin.account()
        const answer = await origin.core('svc_action', { app, key: other, body: { code: CODE } })
        expect(answer.status).toBe(200)
      },
    )
  })

  it('is detected if Linux reports that something always waits for a CPU', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-pressure-'))
    const path = join(folder, 'cpu')
    const pressure = new CpuPressure(90, path)
    const after = async (avg10: string) => {
      const text = `some avg10=${avg10} avg60=1.00 avg300=2.01 total=51\nfull avg10=99.00 avg60=0 avg300=0 total=0\n`
      writeFileSync(path, text)
      await pressure.measure()
      return [pressure.percent, pressure.isHigh]
    }
    expect(await after('90.00')).toEqual([90, false])
    expect(await after('90.01')).toEqual([90.01, true])
    rmSync(folder, { recursive: true })
    await pressure.measure()
    expect([pressure.percent, pressure.isHigh], 'not told').toEqual([undefined, false])
    pressure.close()
  })
})

describe('a client that disconnects', () => {
  /** Sends a request over HTTP that can be aborted. */
  async function sent(app: ReturnType<typeof createOriginApp>, code: string) {
    const server = serve({ fetch: app.fetch, port: 0 })
    await new Promise((listening) => server.once('listening', listening))
    const { port } = server.address() as AddressInfo
    const client = new AbortController()
    const answer = fetch(`http://127.0.0.1:${port}/core/v1/svc_action`, {
      method: 'POST',
      signal: client.signal,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    }).catch((error: unknown) => error)
    return {
      breakOff: async () => {
        client.abort()
        await answer
      },
      close: () => server.close(),
    }
  }
  const ends = () => origin.logs.filter(({ event }) => event === 'run.ended').length
  const waitsIn = (pool: ActionPool, spy: string[]) => {
    const run = pool.run.bind(pool)
    pool.run = (request, ...given) => {
      const ended = run(request, ...given)
      spy.push('asked')
      void ended.then((result) => spy.push(result.kind))
      return ended
    }
  }

  it('while its run waits for an executor cancels the run, and is not charged', async () => {
    await withPool({ min: 1, max: 1 }, async ({ pool, app, fill, started }) => {
      void fill('other', 1)
      await until(() => started.length === 1)
      const runs: string[] = []
      waitsIn(pool, runs)
      const before = await balance()
      const client = await sent(app, CODE)
      await until(() => runs.length === 1)
      await client.breakOff()
      await until(() => runs[1] === 'lost')
      expect(await balance()).toBe(before)
      client.close()
    })
  })

  it('after its run has started lets it finish, and pays for it', async () => {
    await withPool({ min: 1, max: 1 }, async ({ pool, app }) => {
      const runs: string[] = []
      waitsIn(pool, runs)
      const before = await balance()
      const ended = ends()
      const sleep = 'const main = () => new Promise((done) => setTimeout(done, 500))'
      const client = await sent(app, sleep)
      await until(() => runs.length === 1)
      await rest(200)
      await client.breakOff()
      await until(() => ends() === ended + 1)
      expect(runs).toEqual(['asked', 'returned'])
      await rest(100)
      expect(await balance()).toBe(before - 1)
      client.close()
    })
  })

  async function balance(): Promise<number> {
    return (await origin.core('billing/balance', { key })).body.balance_cents
  }
})
