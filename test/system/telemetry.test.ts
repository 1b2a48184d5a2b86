/** One trace across the edge and the origin, at a collector that validates what it gets. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { runTrace } from '../../shared/telemetry/run-trace.ts'
import {
  type CollectedSpan,
  type OtlpCollector,
  startOtlpCollector,
} from '../doubles/otlp-collector.ts'
import { startWebServer, type WebServer } from '../doubles/web-server.ts'
import { newOwner, type Owner } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

let collector: OtlpCollector
let website: WebServer
let started: StartedStack
let owner: Owner
beforeAll(async () => {
  collector = await startOtlpCollector()
  website = await startWebServer((_, response) => response.end('hello'))
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  started = await startStack({
    originSettings: { ...settings, SVC_OUTBOUND_ALLOW: `127.0.0.1:${website.port}` },
    edgeSettings: async () => settings,
  })
  owner = await newOwner(started)
})
afterAll(async () => {
  await started.stop()
  await website.close()
  expect(collector.rejected).toEqual([])
  await collector.close()
})

const until = (condition: () => boolean) =>
  vi.waitUntil(condition, { timeout: 60_000, interval: 50 })

it('a webhook’s run has one trace, from its arrival over the queue to the requests of its action', async () => {
  const marker = 'marker-in-the-event'
  const trigger = await owner.createTrigger(`async function main({ event }) {
    await fetch('http://127.0.0.1:${website.port}/' + event.marker)
    return event.marker
  }`)
  const id = await owner.fire(trigger.webhook_url, { marker })
  const [run] = await owner.allEnded(trigger.id, 60)
  const { traceId, runSpanId } = runTrace(id)
  expect(run!.trace_id).toBe(traceId)
  const ofRun = () => collector.spans.filter((span) => span.traceId === traceId)
  const has = (name: string) => ofRun().some((span) => span.name === name)
  await until(() => has('run') && has('run.attempt') && has('run.execute'))
  await until(() => collector.spans.some(({ links }) => links?.[0]?.traceId === traceId))

  const children = (parent: CollectedSpan | undefined) =>
    ofRun().filter(({ parentSpanId }) => parentSpanId === parent?.spanId)
  const child = (parent: CollectedSpan | undefined, name: string) =>
    children(parent).find((span) => span.name === name)
  const root = ofRun().find(({ spanId }) => spanId === runSpanId)
  expect(root).toMatchObject({ name: 'run', resource: { 'service.name': 'svc-edge' } })
  const attempt = child(root, 'run.attempt')
  const execution = child(attempt, 'run.execute')
  expect(execution).toMatchObject({ resource: { 'service.name': 'svc-origin' } })
  const action = child(execution, 'action.execute')
  expect(child(action, 'action.fetch')).toMatchObject({
    attributes: { 'http.response.status_code': 200 },
  })
  expect(
    children(root)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['queue.wait', 'run.attempt'])

  // The log has the same trace.
  await until(() => collector.logs.some((log) => log.traceId === traceId))
  const events = collector.logs.filter((log) => log.traceId === traceId).map(({ body }) => body)
  expect(events).toContain('run.started')
  const traces = collector.requests.filter(({ url }) => url === '/v1/traces')
  const exported = traces.map(({ body }) => body).join()
  for (const secret of [marker, id, trigger.id, owner.accountHash])
    expect(exported).not.toContain(secret)
  expect(collector.requests.map(({ body }) => body).join()).not.toContain(marker)
}, 180_000)

it('a request to the core API over the edge is in one trace, which continues the client’s', async () => {
  const traceId = 'ab'.repeat(16)
  await fetch(new URL('/core/v1/list_groups', started.triggersUrl), {
    headers: { 'x-api-key': 'A'.repeat(43), traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` },
  })
  const spans = () => collector.spans.filter((span) => span.traceId === traceId)
  await until(() => spans().length === 2)
  const edge = spans().find(({ resource }) => resource['service.name'] === 'svc-edge')!
  expect(edge.parentSpanId).toBe('cd'.repeat(8))
  const origin = spans().find(({ resource }) => resource['service.name'] === 'svc-origin')!
  expect(origin).toMatchObject({
    name: 'GET /core/v1/list_groups',
    parentSpanId: edge.spanId,
  })
})
