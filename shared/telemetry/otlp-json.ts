/**
 * Encodes spans and log records for OTLP/HTTP in its JSON encoding
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): IDs in hex, 64-bit integers as decimal strings,
 * enums as numbers. Each span and record is encoded on its own, so that the sizes of batches are known.
 */
import type { ServiceLogLevel } from '../service-log/levels.ts'
import type { LogFields } from '../service-log/line.ts'
import { type EndedSpan, SPAN_KINDS } from './span.ts'

export const TRACES_PATH = 'v1/traces'
export const LOGS_PATH = 'v1/logs'

/** Attributes of the process that exports. */
export type Resource = {
  'service.name': string
  'service.version': string
  'service.instance.id': string
  'deployment.environment.name': string
}

export type LogRecord = {
  /** Unix milliseconds. */
  time: number
  level: ServiceLogLevel
  event: string
  /** Sanitized. */
  fields: LogFields
  /** Trace of the run that the event is about. */
  traceId?: string | undefined
}

const SCOPE = { name: 'svc' }

/** `STATUS_CODE_ERROR` of OTLP. */
const STATUS_ERROR = 2

/** `SeverityNumber` of OTLP. */
const SEVERITIES = { debug: 5, info: 9, warn: 13, error: 17 } as const satisfies Record<
  ServiceLogLevel,
  number
>

const SAMPLED_FLAG = 1

export function encodeSpan({
  context,
  parentSpanId,
  name,
  kind,
  startedAt,
  endedAt,
  attributes,
  links = [],
  isError = false,
}: EndedSpan): string {
  return JSON.stringify({
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    flags: SAMPLED_FLAG,
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: unixNano(startedAt),
    endTimeUnixNano: unixNano(endedAt),
    attributes: keyValues(attributes),
    ...(links.length === 0
      ? {}
      : { links: links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    ...(isError ? { status: { code: STATUS_ERROR } } : {}),
  })
}

export function encodeLogRecord({ time, level, event, fields, traceId }: LogRecord): string {
  return JSON.stringify({
    timeUnixNano: unixNano(time),
    severityNumber: SEVERITIES[level],
    severityText: level,
    body: { stringValue: event },
    eventName: event,
    attributes: keyValues(fields),
    ...(traceId === undefined ? {} : { traceId }),
  })
}

export function tracesRequest(resource: Resource, spans: readonly string[]): string {
  return `{"resourceSpans":[{"resource":${encodeResource(resource)},"scopeSpans":[{"scope":${JSON.stringify(SCOPE)},"spans":[${spans.join(',')}]}]}]}`
}

export function logsRequest(resource: Resource, records: readonly string[]): string {
  return `{"resourceLogs":[{"resource":${encodeResource(resource)},"scopeLogs":[{"scope":${JSON.stringify(SCOPE)},"logRecords":[${records.join(',')}]}]}]}`
}

function encodeResource(resource: Resource): string {
  return JSON.stringify({ attributes: keyValues(resource) })
}

function keyValues(attributes: object): object[] {
  return Object.entries(attributes as LogFields).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Number.isSafeInteger(value)) return { intValue: String(value) }
  return Number.isFinite(value) ? { doubleValue: value } : { stringValue: String(value) }
}

function unixNano(ms: number): string {
  return `${Math.round(ms)}000000`
}
