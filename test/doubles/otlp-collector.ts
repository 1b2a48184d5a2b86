/**
 * A collector that speaks OTLP over HTTP in JSON (OTLP 1.8: `collector/trace/v1`, `collector/logs/v1`, `trace/v1`,
 * `logs/v1`, `common/v1`, `resource/v1`). It validates each request against the messages of the protocol: it rejects
 * unknown fields, IDs that are not lower-case hex of the right length, 64-bit integers that are not decimal strings,
 * enums that are not numbers, and values without exactly one member.
 */
import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import { type Certificate, type Received, startWebServer } from './web-server.ts'

const hexId = (bytes: number) =>
  z.string().regex(new RegExp(`^(?!0{${2 * bytes}}$)[0-9a-f]{${2 * bytes}}$`))
const fixed64 = z.string().regex(/^(0|[1-9][0-9]{0,19})$/)
const int64 = z.string().regex(/^-?(0|[1-9][0-9]{0,18})$/)
const uint32 = z
  .int()
  .min(0)
  .max(2 ** 32 - 1)

type AnyValue = {
  stringValue?: string | undefined
  boolValue?: boolean | undefined
  intValue?: string | undefined
  doubleValue?: number | undefined
  arrayValue?: { values: AnyValue[] } | undefined
}
const anyValue: z.ZodType<AnyValue> = z.lazy(() =>
  z
    .strictObject({
      stringValue: z.string().optional(),
      boolValue: z.boolean().optional(),
      intValue: int64.optional(),
      doubleValue: z.number().optional(),
      arrayValue: z.strictObject({ values: z.array(anyValue) }).optional(),
    })
    .refine((value) => Object.keys(value).length === 1, 'expected one member of the oneof'),
)
/** Keys of a list of attributes must be unique. */
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: anyValue }))
  .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, 'expected unique keys')

const resource = z.strictObject({ attributes })
const scope = z.strictObject({ name: z.string(), version: z.string().optional() })

const span = z
  .strictObject({
    traceId: hexId(16),
    spanId: hexId(8),
    parentSpanId: hexId(8).optional(),
    traceState: z.string().optional(),
    flags: uint32.optional(),
    name: z.string().min(1),
    kind: z.int().min(0).max(5),
    startTimeUnixNano: fixed64,
    endTimeUnixNano: fixed64,
    attributes,
    links: z
      .array(
        z.strictObject({
          traceId: hexId(16),
          spanId: hexId(8),
          attributes: attributes.optional(),
          flags: uint32.optional(),
        }),
      )
      .optional(),
    status: z
      .strictObject({ code: z.int().min(0).max(2), message: z.string().optional() })
      .optional(),
  })
  .refine(
    (one) => BigInt(one.endTimeUnixNano) >= BigInt(one.startTimeUnixNano),
    'expected an end after the start',
  )
const tracesSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource,
      scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span) })),
    }),
  ),
})

const logRecord = z.strictObject({
  timeUnixNano: fixed64,
  observedTimeUnixNano: fixed64.optional(),
  severityNumber: z.int().min(0).max(24),
  severityText: z.string(),
  body: anyValue,
  attributes,
  traceId: hexId(16).optional(),
  spanId: hexId(8).optional(),
  flags: uint32.optional(),
  eventName: z.string().optional(),
})
const logsSchema = z.strictObject({
  resourceLogs: z.array(
    z.strictObject({
      resource,
      scopeLogs: z.array(z.strictObject({ scope, logRecords: z.array(logRecord) })),
    }),
  ),
})

type Attributes = Record<string, string | number | boolean | undefined>

export type CollectedSpan = Omit<z.infer<typeof span>, 'attributes'> & {
  attributes: Attributes
  resource: Attributes
}
export type CollectedLog = Omit<z.infer<typeof logRecord>, 'attributes' | 'body'> & {
  attributes: Attributes
  body: string | undefined
  resource: Attributes
}

/** How the next requests fail. */
export type CollectorFault = {
  status?: number
  /** Keeps the connection open without a response. */
  silent?: true
}

/** What a collector received, and how it should fail. */
function createCollector() {
  const spans: CollectedSpan[] = []
  const logs: CollectedLog[] = []
  const faults: CollectorFault[] = []
  /** Why requests were rejected. Tests expect this list to be empty. */
  const rejected: string[] = []
  const requests: Received[] = []
  const collect = (path: string, body: string) => {
    if (path === '/v1/traces') {
      const { resourceSpans } = tracesSchema.parse(JSON.parse(body))
      for (const { resource: from, scopeSpans } of resourceSpans)
        for (const one of scopeSpans.flatMap((group) => group.spans))
          spans.push({
            ...one,
            attributes: plain(one.attributes),
            resource: plain(from.attributes),
          })
    } else if (path === '/v1/logs') {
      const { resourceLogs } = logsSchema.parse(JSON.parse(body))
      for (const { resource: from, scopeLogs } of resourceLogs)
        for (const { body: text, ...one } of scopeLogs.flatMap((group) => group.logRecords))
          logs.push({
            ...one,
            body: text.stringValue,
            attributes: plain(one.attributes),
            resource: plain(from.attributes),
          })
    } else throw new Error(`unknown path ${path}`)
  }
  const receive = (path: string, request: Received, response: ServerResponse) => {
    requests.push(request)
    const fault = faults.shift()
    if (fault?.silent) return
    if (fault?.status !== undefined) return give(response, fault.status)
    try {
      if (request.method !== 'POST') throw new Error(`method ${request.method}`)
      if (request.headers['content-type'] !== 'application/json')
        throw new Error('expected the content type application/json')
      collect(path, request.body)
      give(response, 200)
    } catch (error) {
      rejected.push(String(error))
      give(response, 400)
    }
  }
  return { spans, logs, faults, rejected, requests, receive }
}

/** @param path part of the URL before the paths of the signals */
export async function startOtlpCollector({
  certificate,
  path = '',
}: { certificate?: Certificate; path?: string } = {}) {
  const { receive, ...collector } = createCollector()
  const server = await startWebServer(
    (request, response) => receive(request.url.replace(path, ''), request, response),
    certificate ? { certificate } : {},
  )
  return {
    ...collector,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${server.port}${path}`,
    close: server.close,
  }
}

export type OtlpCollector = Awaited<ReturnType<typeof startOtlpCollector>>

/** What `GET /<name>/collected` returns. */
export type Collected = Pick<OtlpCollector, 'spans' | 'logs' | 'rejected'> & {
  requests: Pick<Received, 'url' | 'headers' | 'body'>[]
}

/**
 * Collectors for tests that run in workerd, each at `/<name>`. `GET /<name>/collected` returns what it received, and
 * `POST /<name>/faults` sets how the next requests fail.
 */
export async function startOtlpCollectors() {
  const collectors = new Map<string, ReturnType<typeof createCollector>>()
  const server = await startWebServer((request, response) => {
    const [, name = '', ...rest] = request.url.split('/')
    const { receive, ...collector } = collectors.get(name) ?? createCollector()
    collectors.set(name, { receive, ...collector })
    const path = `/${rest.join('/')}`
    if (path === '/collected') {
      response.end(JSON.stringify({ ...collector, faults: undefined } satisfies object))
    } else if (path === '/faults') {
      collector.faults.push(...(JSON.parse(request.body) as CollectorFault[]))
      response.end()
    } else receive(path, request, response)
  })
  return { url: `http://127.0.0.1:${server.port}`, close: server.close }
}

function plain(list: z.infer<typeof attributes>): Attributes {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.boolValue ??
        value.doubleValue ??
        (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  )
}

function give(response: ServerResponse, status: number): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(status === 200 ? '{}' : '{"message":"refused"}')
}
