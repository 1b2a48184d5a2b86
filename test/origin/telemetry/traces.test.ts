import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createActionPool } from '../../../origin/actions/pool.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { openTelemetry, type OriginTelemetry } from '../../../origin/telemetry/telemetry.ts'
import { readBuild } from '../../../origin/version.ts'
import { runTrace } from '../../../shared/telemetry/run-trace.ts'
import { SPANS_PER_TRACE_MAX } from '../../../shared/telemetry/tracer.ts'
import { keptTemplate } from '../actions/kept-template.ts'
import { type OtlpCollector, startOtlpCollector } from '../../doubles/otlp-collector.ts'
import { startWebServer, type WebServer } from '../../doubles/web-server.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'
import { executeRun, keyForAllActions } from '../http/runs-client.ts'
import { sealHttp, sendHttp } from '../http/sealed-http-client.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const SAMPLED = `00-${TRACE}-${SPAN}-01`
const UNSAMPLED = `00-${TRACE}-${SPAN}-00`

let origin: TestOrigin
let account: string
let key: string
let website: WebServer
let pool: ReturnType<typeof createActionPool>
beforeAll(async () => {
  origin = await startOrigin()
  account = await origin.account()
  key = await keyForAllActions(origin, account)
  website = await startWebServer((_, response) => response.writeHead(201).end('made'))
  pool = createActionPool({
    min: 1,
    max: 1,
    template: keptTemplate(),
    outbound: { allow: [{ host: '127.0.0.1', port: website.port }], deny: [] },
  })
  await pool.ready()
  const limits = { wallMs: 60_000, cpuMs: 60_000 }
  origin.services.executions = new Executions({ ...origin.services, pool, limits })
})
afterAll(async () => {
  await Promise.all([pool.close(), website.close()])
  await origin.close()
})

let collector: OtlpCollector
let telemetry: OriginTelemetry
beforeEach(async () => {
  collector = await startOtlpCollector({ path: '/otlp' })
  telemetry = open()
})
afterEach(async () => {
  delete origin.services.tracer
  await telemetry.close()
  expect(collector.rejected).toEqual([])
  await collector.close()
})

/** Lets the origin export to the collector. */
function open({ ratio = 1, endpoint = collector.url, closeMs = 60_000 } = {}) {
  const { counters, log } = origin.services
  const opened = openTelemetry(
    {
      SVC_ENV: 'local',
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: [['authorization', 'Bearer token-of-the-collector']],
      OTEL_TRACES_SAMPLER_ARG: ratio,
      OTEL_SERVICE_NAME: 'svc-origin',
    },
    {
      build: readBuild('c'.repeat(40)),
      processId: 'process',
      counters,
      log,
      fetch,
      times: { batchMs: 5, retryMs: 5, timeoutMs: 60_000, closeMs },
    },
  )!
  origin.services.tracer = opened.tracer
  return opened
}

/** Returns the spans once the root has been exported: the root ends last. */
async function spansWith(root: string) {
  await vi.waitUntil(() => collector.spans.some(({ name }) => name === root), {
    timeout: 60_000,
    interval: 5,
  })
  return collector.spans
}
/** Spans that are exported in the meantime would be visible afterwards. */
async function nothingIsExported() {
  await telemetry.close()
  expect(collector.spans).toEqual([])
}

const ROOT = 'POST /core/v1/svc_action'
const CODE = 'async function main({ n }) { return n }'
const newRun = () => ({ id: 'T'.repeat(32) + randomBytes(12).toString('base64url') })
const execute = (run: object, code = CODE, js_params = {}) =>
  executeRun(origin, {
    credential: { api_key: key },
    run: { ...newRun(), ...run },
    code,
    js_params,
  })

describe('the trace of an action that a client executes', () => {
  it('has the checks, the ledger, the wait, the action, its key operations and its requests', async () => {
    const wallet = await origin.wallet(account)
    const group = await origin.group(account, {
      cid_hashes_permitted: [0],
      pkp_ids_permitted: [wallet.pkp_id],
    })
    const usageKey = await origin.usageKey(account, { execute_in_groups: [group] })
    const code = `async function main({ pkpId, url }) {
      await Svc.Actions.encrypt({ pkpId, message: 'hello' })
      await fetch(url)
      await fetch('http://127.0.0.1:1').catch(() => {})
      return 'done'
    }`
    const url = `http://127.0.0.1:${website.port}/path-of-the-request`
    collector.spans.length = 0
    const answer = await origin.run(usageKey, code, { pkpId: wallet.pkp_id, url })
    expect(answer).toMatchObject({ status: 200, body: { response: 'done' } })
    const spans = await vi.waitUntil(
      () => collector.spans.some(({ name }) => name === ROOT) && collector.spans,
      { timeout: 60_000, interval: 5 },
    )
    const root = spans.find(({ name }) => name === ROOT)!
    expect(root.parentSpanId).toBeUndefined()
    expect(root.kind).toBe(2)
    expect(root.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/core/v1/svc_action',
      'http.response.status_code': 200,
      'svc.request_id': answer.headers.get('x-request-id'),
    })
    expect(root.resource).toMatchObject({
      'service.name': 'svc-origin',
      'service.instance.id': 'process',
      'deployment.environment.name': 'local',
    })
    const ofTrace = spans.filter(({ traceId }) => traceId === root.traceId)
    const below = (parent: string) =>
      ofTrace.filter(({ parentSpanId }) => parentSpanId === parent).map(({ name }) => name)
    expect(below(root.spanId).toSorted()).toEqual([
      'action.execute',
      'allowance.reserve',
      'credits.reserve',
      'executor.wait',
      'permissions.check',
    ])
    const action = ofTrace.find(({ name }) => name === 'action.execute')!
    expect(below(action.spanId).toSorted()).toEqual(['action.fetch', 'action.fetch', 'key.encrypt'])
    const [made, failed] = ofTrace.filter(({ name }) => name === 'action.fetch')
    expect(made).toMatchObject({ kind: 3, attributes: { 'http.response.status_code': 201 } })
    expect(failed).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'fetch_failed' },
    })
    for (const { startTimeUnixNano } of ofTrace) expect(startTimeUnixNano).toMatch(/000000$/)
  })

  it('continues the trace of the client', async () => {
    await origin.core('svc_action', {
      key,
      body: { code: CODE, js_params: {} },
      headers: { traceparent: UNSAMPLED },
    })
    const [root] = (await spansWith(ROOT)).filter(({ name }) => name === ROOT)
    expect(root).toMatchObject({ traceId: TRACE, parentSpanId: SPAN })
  })

  it('does not add a traceparent to requests of the action, which go to others', async () => {
    website.received.length = 0
    await origin.core('svc_action', {
      key,
      body: {
        code: 'async function main({ url }) { await fetch(url) }',
        js_params: { url: `http://127.0.0.1:${website.port}/` },
      },
      headers: { traceparent: SAMPLED },
    })
    expect(website.received).toHaveLength(1)
    expect(Object.keys(website.received[0]!.headers)).not.toContain('traceparent')
  })

  it('has an error of the action, and of the service', async () => {
    await origin.run(key, 'function main() { throw new Error("message of the error") }')
    const spans = await spansWith(ROOT)
    expect(spans.find(({ name }) => name === 'action.execute')).toMatchObject({
      status: { code: 2 },
      attributes: { 'svc.outcome': 'failed', 'error.type': 'action_threw' },
    })
    const own = await origin.usageKey(account, {})
    collector.spans.length = 0
    expect((await origin.run(own, CODE)).status).toBe(403)
    expect((await spansWith(ROOT)).find(({ name }) => name === 'permissions.check')).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'ActionNotPermittedError' },
    })
  })
})

describe('the trace of a trigger’s run', () => {
  it('continues the span of the edge', async () => {
    expect(await execute({ trace: SAMPLED })).toMatchObject({ state: 'ended' })
    const spans = await spansWith('run.execute')
    const root = spans.find(({ name }) => name === 'run.execute')!
    expect(root).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, kind: 2 })
    expect(root.attributes).toMatchObject({ 'svc.attempt': 1, 'svc.run.status': 'success' })
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['run.claim', 'outcome.store', 'action.execute']),
    )
  })

  it('is the trace of the run’s ID if the edge exports none', async () => {
    const run = newRun()
    await execute(run)
    const [root] = (await spansWith('run.execute')).filter(({ name }) => name === 'run.execute')
    expect(root).toMatchObject({ traceId: runTrace(run.id).traceId })
  })

  it('is not recorded if the edge decided against it', async () => {
    await execute({ trace: UNSAMPLED })
    await nothingIsExported()
  })

  it('is recorded if the edge decided for it, whatever the share of the origin is', async () => {
    await telemetry.close()
    telemetry = open({ ratio: 0 })
    await execute({ trace: SAMPLED })
    expect(await spansWith('run.execute')).not.toEqual([])
  })
})

describe('the trace context that an action requests', () => {
  const ASKS = 'async function main() { return Svc.Actions.getTraceparent() }'
  const traceparentOf = async (run: object) => {
    const answer: any = await execute(run, ASKS)
    return answer.outcome.response as string
  }

  it('is the span of the action, so requests with it continue the trace', async () => {
    website.received.length = 0
    const code = `async function main({ url }) {
      const traceparent = await Svc.Actions.getTraceparent()
      await fetch(url, { headers: { traceparent } })
    }`
    const js_params = { url: `http://127.0.0.1:${website.port}/` }
    await execute({ trace: SAMPLED }, code, js_params)
    const spans = await spansWith('run.execute')
    const action = spans.find(({ name }) => name === 'action.execute')!
    expect(website.received).toHaveLength(1)
    expect(website.received[0]!.headers['traceparent']).toBe(`00-${TRACE}-${action.spanId}-01`)
  })

  it('has the trace ID of the run’s record and is not sampled, if nothing is recorded', async () => {
    const run = newRun()
    const { traceId, runSpanId } = runTrace(run.id)
    const unsampled = `00-${traceId}-${runSpanId}-00`
    expect(await traceparentOf({ ...run, trace: UNSAMPLED })).toBe(unsampled)
    delete origin.services.tracer
    const other = newRun()
    expect(await traceparentOf(other)).toContain(runTrace(other.id).traceId)
  })

  it('is a new trace for each run without an ID', async () => {
    delete origin.services.tracer
    const [one, two] = [await origin.run(key, ASKS), await origin.run(key, ASKS)]
    expect(one.body.response).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    expect(two.body.response).not.toBe(one.body.response)
  })
})

describe('a request that the edge passes on', () => {
  it('continues the span in the envelope, and not the header of the client', async () => {
    const other = `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01`
    await sendHttp(
      origin,
      await sealHttp(origin, { headers: [['traceparent', other]], head: { trace: SAMPLED } }),
    )
    const [root] = await spansWith('GET /core/v1/version')
    expect(root).toMatchObject({ traceId: TRACE, parentSpanId: SPAN })
    expect(collector.spans).toHaveLength(1)
  })

  it('is not recorded if the edge decided against it', async () => {
    await sendHttp(origin, await sealHttp(origin, { head: { trace: UNSAMPLED } }))
    await nothingIsExported()
  })
})

describe('attacks', () => {
  it('a client that marks its traces as sampled does not get more of them recorded', async () => {
    await telemetry.close()
    telemetry = open({ ratio: 0 })
    // The last bytes of this trace ID are below every share.
    const chosen = `00-${TRACE.slice(0, 18)}${'0'.repeat(14)}-${SPAN}-01`
    for (const traceparent of [SAMPLED, chosen])
      await origin.call('/core/v1/version', { headers: { traceparent } })
    await nothingIsExported()
  })

  it('a client cannot put a traceparent into the envelope of the edge by a header', async () => {
    await telemetry.close()
    telemetry = open({ ratio: 0 })
    await sendHttp(origin, await sealHttp(origin, { headers: [['traceparent', SAMPLED]] }))
    await nothingIsExported()
  })

  it('a request cannot fill the memory with spans', async () => {
    const before = await dropped('traces')
    const { tracer } = telemetry
    const root = tracer.start('root', { traceId: TRACE, spanId: SPAN, isSampled: true })!
    const children = Array.from({ length: SPANS_PER_TRACE_MAX + 20 }, () => root.child('child'))
    for (const child of children) child?.end()
    root.end()
    expect(await spansWith('root')).toHaveLength(SPANS_PER_TRACE_MAX)
    expect((await dropped('traces')) - before).toBe(21)
  })

  it('no secret, param, result, message or URL leaves in a trace', async () => {
    const marker = () => `marker-${randomBytes(9).toString('hex')}`
    const [code, param, result, thrown, path, header, logged] = Array.from({ length: 7 }, marker)
    const run = newRun()
    await execute(
      { ...run, trace: SAMPLED },
      `async function main({ param, url }) {
        // ${code}
        console.log('${logged}')
        await fetch(url + '/${path}?${path}', { headers: { 'x-h': '${header}' } })
        return '${result}' + param
      }`,
      { param, url: `http://127.0.0.1:${website.port}` },
    )
    await origin.run(key, `async function main() { throw new Error('${thrown}') }`)
    const wallet = await origin.wallet(account)
    await origin.core('list_wallets', { key: account, method: 'GET' })
    await vi.waitUntil(() => collector.spans.some(({ name }) => name === ROOT), { timeout: 60_000 })
    await telemetry.close()
    const exported = collector.requests.map(({ body }) => body).join()
    expect(exported).toContain('action.fetch')
    const secrets = [code, param, result, thrown, path, header, logged, key, account, run.id]
    for (const secret of [
      ...secrets,
      wallet.pkp_id,
      origin.hashOf(account),
      '127.0.0.1',
      'T'.repeat(32),
    ])
      expect(exported).not.toContain(secret)
  })
})

describe('an unavailable collector', () => {
  it('neither delays nor fails a run', async () => {
    await telemetry.close()
    telemetry = open({ closeMs: 50 })
    for (let n = 0; n < 100; n++) collector.faults.push({ silent: true })
    for (let n = 0; n < 3; n++) expect((await origin.run(key, CODE)).status).toBe(200)
  })

  it('is reported once, and the spans that it refused are counted', async () => {
    const before = await dropped('traces')
    collector.faults.push({ status: 400 })
    await origin.call('/core/v1/version')
    await vi.waitUntil(async () => (await dropped('traces')) > before, { timeout: 60_000 })
    expect(origin.logs.at(-1)).toMatchObject({
      event: 'telemetry.failed',
      facts: { signal: 'traces', reason: '400' },
    })
  })

  it('gets the spans later if it asks for patience', async () => {
    collector.faults.push({ status: 503 }, { status: 429 })
    await origin.call('/core/v1/version')
    expect(await spansWith('GET /core/v1/version')).toHaveLength(1)
    await vi.waitUntil(() => origin.logs.at(-1)?.event === 'telemetry.recovered', {
      timeout: 60_000,
    })
  })
})

it('authenticates to the collector', async () => {
  await origin.call('/core/v1/version')
  await spansWith('GET /core/v1/version')
  expect(collector.requests[0]!.headers['authorization']).toBe('Bearer token-of-the-collector')
})

it('records nothing without a collector', () => {
  const settings = { SVC_ENV: 'local', OTEL_TRACES_SAMPLER_ARG: 1, OTEL_SERVICE_NAME: 'o' } as const
  const { counters, log } = origin.services
  const deps = { build: readBuild('c'.repeat(40)), processId: 'p', counters, log, fetch }
  expect(
    openTelemetry(
      {
        ...settings,
        OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
        OTEL_EXPORTER_OTLP_HEADERS: undefined,
      },
      deps,
    ),
  ).toBeUndefined()
})

async function dropped(signal: string): Promise<number> {
  const { registry } = origin.services.counters
  const metric = await registry.getSingleMetric('svc_telemetry_dropped_total')!.get()
  return metric.values.find(({ labels }) => labels['signal'] === signal)?.value ?? 0
}
