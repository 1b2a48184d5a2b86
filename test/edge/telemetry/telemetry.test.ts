import { createExecutionContext, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import type { Env } from '../../../edge/env.ts'
import { logEvent } from '../../../edge/log.ts'
import { triggerParts } from '../../../edge/queue/trigger-parts.ts'
import worker from '../../../edge/worker.ts'
import { runTrace } from '../../../shared/telemetry/run-trace.ts'
import type { Collected } from '../../doubles/otlp-collector.ts'
import {
  createTrigger,
  env,
  fire,
  queueOf,
  runOnce,
  script,
  seen,
  someOwner,
  success,
} from '../app.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const SAMPLED = `00-${TRACE}-${SPAN}-01`

const owner = await someOwner()

afterEach(() => vi.restoreAllMocks())

/** An environment that exports to a collector of its own. */
function world(changes: Partial<Env> = {}) {
  const url = `${inject('otlpCollectors')}/${crypto.randomUUID()}`
  const own: Env = {
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-of-the-collector',
    SVC_LOG_LEVEL: 'silent',
    ...changes,
  }
  const collected = async (): Promise<Collected> => (await fetch(`${url}/collected`)).json()
  return {
    env: own,
    collected,
    /** Waits for what the collector received. It must have rejected nothing. */
    until: async (condition: (received: Collected) => boolean) => {
      const received = await vi.waitUntil(
        async () => {
          const all = await collected()
          return (condition(all) || all.rejected.length > 0) && all
        },
        { timeout: 60_000, interval: 50 },
      )
      expect(received.rejected).toEqual([])
      return received
    },
    request: (path: string, init?: RequestInit) =>
      worker.fetch(
        new Request(new URL(path, 'https://edge.test'), init) as never,
        own,
        createExecutionContext(),
      ),
  }
}

describe('the span of a request', () => {
  it('has the route and not the path, and continues the trace of the client', async () => {
    const { request, until } = world()
    const answer = await request('/api/runs/secret-in-the-path?canary=1', {
      headers: { traceparent: SAMPLED, authorization: `Bearer ${owner.token}` },
    })
    const { spans, requests } = await until((all) => all.spans.length > 0)
    expect(spans).toHaveLength(1)
    expect(spans[0]).toMatchObject({
      name: 'GET /api/runs/:id',
      kind: 2,
      traceId: TRACE,
      parentSpanId: SPAN,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/api/runs/:id',
        'http.response.status_code': answer.status,
        'svc.request_id': answer.headers.get('x-request-id'),
      },
      resource: { 'service.name': 'svc-edge', 'deployment.environment.name': 'local' },
    })
    expect(requests[0]!.headers['authorization']).toBe('Bearer token-of-the-collector')
    for (const secret of ['secret-in-the-path', 'canary', owner.token, owner.id])
      expect(requests.map(({ body }) => body).join()).not.toContain(secret)
  })

  it('is not recorded for probes', async () => {
    const { request, until } = world()
    await request('/health')
    await request('/docs')
    const { spans } = await until((all) => all.spans.length > 0)
    expect(spans.map(({ name }) => name)).toEqual(['GET /docs'])
  })

  it('of a webhook links to the trace of the run, and hides the trigger', async () => {
    const { request, until } = world()
    const { id } = await createTrigger(owner)
    const answer = await request(`/webhook/${id}`, {
      method: 'POST',
      body: '{"marker":"in the body"}',
      headers: { traceparent: SAMPLED },
    })
    const { run_id }: { run_id: string } = await answer.json()
    const { spans, requests } = await until((all) => all.spans.length > 0)
    const { traceId, runSpanId } = runTrace(run_id)
    expect(spans[0]).toMatchObject({
      name: 'POST /webhook/:id',
      traceId: TRACE,
      parentSpanId: SPAN,
      links: [{ traceId, spanId: runSpanId }],
    })
    const exported = requests.map(({ body }) => body).join()
    expect(exported).not.toContain(id)
    expect(exported).not.toContain('marker')
  })

  it('forgery: a client that marks its trace as sampled does not get it recorded', async () => {
    vi.spyOn(console, 'info').mockImplementation(() => {})
    const { request, until, env: own } = world({ OTEL_TRACES_SAMPLER_ARG: '0' })
    await request('/docs', { headers: { traceparent: SAMPLED } })
    logEvent({ ...own, SVC_LOG_LEVEL: 'info' }, 'request.answered', {})
    // The log record arrives after a span would have.
    expect((await until((all) => all.logs.length > 0)).spans).toEqual([])
  })
})

/** Runs a trigger's parts with telemetry, and returns its run. */
async function runWith(own: Env, over: object = {}) {
  const { id } = await createTrigger(owner, over)
  return runInDurableObject(queueOf(id), async (_, state) => {
    await state.storage.deleteAlarm()
    const { storage } = state
    const waitUntil = (work: Promise<unknown>) => state.waitUntil(work)
    const parts = triggerParts({ storage, waitUntil } as unknown as DurableObjectState, own)
    await parts.alarm.load()
    parts.state.load()
    parts.queueSize.load(parts.store.queuedTotals())
    const firing = JSON.stringify({ source: 'params' })
    const result = await parts.intake.accept({
      firing,
      body: new TextEncoder().encode('{"marker":"of the params"}'),
    })
    if (result.state !== 'queued') throw new Error(result.state)
    const unfinished = () =>
      state.storage.sql.exec('SELECT 1 FROM runs WHERE finished_at IS NULL').toArray().length
    const hasEnded = async () => {
      // These parts retry the run, and not the parts of the object, which export nothing.
      await state.storage.deleteAlarm()
      parts.dispatcher.pump()
      return unfinished() === 0
    }
    await vi.waitUntil(hasEnded, { timeout: 60_000, interval: 5 })
    return result.runId
  })
}

describe('the trace of a run', () => {
  it('has the run, its wait and its attempt, whose context the origin gets', async () => {
    const { env: own, until } = world()
    const runId = await runWith(own, { name: 'name-of-the-trigger' })
    const { spans, requests } = await until((all) => all.spans.some(({ name }) => name === 'run'))
    const { traceId, runSpanId } = runTrace(runId)
    const named = Object.fromEntries(spans.map((span) => [span.name, span]))
    expect(named['run']).toMatchObject({
      traceId,
      spanId: runSpanId,
      attributes: {
        'svc.trigger.kind': 'webhook',
        'svc.run.status': 'success',
        'svc.attempt': 1,
      },
    })
    expect(named['run']!.parentSpanId).toBeUndefined()
    expect(named['queue.wait']).toMatchObject({ traceId, parentSpanId: runSpanId })
    const attempt = await until((all) => all.spans.some(({ name }) => name === 'run.attempt'))
    const sent = attempt.spans.find(({ name }) => name === 'run.attempt')!
    expect(sent).toMatchObject({ traceId, parentSpanId: runSpanId, kind: 3 })
    expect(sent.attributes).toEqual({ 'svc.attempt': 1, 'svc.outcome': 'ended' })
    const [execution] = await seen(runId)
    expect(execution!.trace).toBe(`00-${traceId}-${sent.spanId}-01`)
    const exported = requests.map(({ body }) => body).join()
    for (const secret of ['marker', 'of the params', 'name-of-the-trigger', runId.slice(0, 32)])
      expect(exported).not.toContain(secret)
  })

  it('is not recorded if it is not sampled, which the origin is told', async () => {
    const { env: own, collected } = world({ OTEL_TRACES_SAMPLER_ARG: '0' })
    const runId = await runWith(own)
    const [execution] = await seen(runId)
    expect(execution!.trace).toMatch(new RegExp(`^00-${runTrace(runId).traceId}-[0-9a-f]{16}-00$`))
    expect((await collected()).requests).toEqual([])
  })

  it('is not sent to the origin without a collector', async () => {
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    const run = await runOnce(owner, await fire(id))
    expect((await seen(run.id))[0]!.trace).toBeUndefined()
  })

  it('has each attempt of a run that is sent again', async () => {
    const { env: own, until } = world()
    const refuse = { status: 503, error: 'service_unavailable', retry_after_s: 0 }
    const runId = await runWith(own, { action_code: script({ refuse }, success()) })
    const { spans } = await until((all) => all.spans.some(({ name }) => name === 'run'))
    const attempts = spans.filter(({ name }) => name === 'run.attempt')
    expect(attempts.map(({ attributes }) => attributes['svc.outcome'])).toEqual([
      'origin_away',
      'ended',
    ])
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([runTrace(runId).traceId]))
  })
})

describe('the log', () => {
  it('is exported with its level, its fields and without secrets', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { env: own, until } = world({ SVC_LOG_LEVEL: 'info' })
    logEvent(own, 'origin.away', { reason: 'refused https://user:password@host/', attempts: 2 })
    logEvent(own, 'probe.answered', { route: '/health' })
    const { logs } = await until((all) => all.logs.length > 0)
    expect(logs).toHaveLength(1)
    expect(logs[0]).toMatchObject({
      severityNumber: 13,
      severityText: 'warn',
      body: 'origin.away',
      eventName: 'origin.away',
      attributes: { reason: 'refused [redacted]', attempts: 2 },
      resource: { 'service.name': 'svc-edge' },
    })
  })
})
