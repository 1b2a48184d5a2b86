import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EventLoopLoad } from '../../../origin/admission/event-loop-load.ts'
import { createActionPool } from '../../../origin/actions/pool.ts'
import { WAITING_MAX } from '../../../origin/actions/pool/options.ts'
import { createApp } from '../../../origin/app.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { RUN_ID_CHARACTERS } from '../../../shared/ids.ts'
import { SEALED_EXECUTE_PATH, SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

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

/** Keeps the loop busy: every turn of it takes so long. */
async function busy(turnMs: number, forMs: number): Promise<void> {
  const end = performance.now() + forMs
  while (performance.now() < end) {
    const turnEnd = performance.now() + turnMs
    while (performance.now() < turnEnd);
    await new Promise((resume) => setImmediate(resume))
  }
}

/** A sealed request to an app, opened. */
async function sealed(app: ReturnType<typeof createApp>, path: string, fields: object) {
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

describe('a node whose event loop is late', () => {
  it('sheds requests with 429 and Retry-After, keeps health and outcomes, and recovers', async () => {
    const load = new EventLoopLoad(50)
    const app = createApp({ ...origin.services, load })
    await busy(150, 2_500)
    const refused = await origin.core('svc_action', { app, key, body: { code: CODE } })
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests'])
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

  it('is not one that had a single long task', async () => {
    const load = new EventLoopLoad(50)
    await rest(1_200)
    await busy(400, 1)
    await rest(1_200)
    expect(() => load.requireRoom()).not.toThrow()
    load.close()
  })
})

describe('a pool whose line is full', () => {
  it('is 429, for a client and sealed for the edge, and nothing is claimed', async () => {
    const pool = createActionPool({ min: 1, max: 1 })
    await pool.ready()
    const capability = { keyOperation: () => Promise.reject(new Error('none')) }
    const request = { code: 'async function main() { for (;;); }', params: '{}' }
    const spin = { ...request, wallMs: 20_000, cpuMs: 20_000 }
    const fill = Array.from({ length: WAITING_MAX + 1 }, () => pool.run(spin, capability))
    const { keyring, claims, mirror, credits, log } = origin.services
    const limits = { wallMs: 1_000, cpuMs: 1_000 }
    const executions = new Executions({ pool, keyring, claims, mirror, credits, limits, log })
    const app = createApp({ ...origin.services, executions })

    const refused = await origin.core('svc_action', { app, key, body: { code: CODE } })
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests'])
    expect(refused.headers.get('retry-after')).toBe('2')
    const run = { id: RUN_ID, attempt: 1 }
    const answer = await sealed(app, SEALED_EXECUTE_PATH, { ...execution(), run })
    expect(answer).toMatchObject({ state: 'refused', status: 429 })
    const accountHash = origin.hashOf(key)
    expect(await claims.state({ accountHash, runId: run.id })).toBeUndefined()
    await pool.close()
    await Promise.all(fill)
  })
})
