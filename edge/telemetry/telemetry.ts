import type { ServiceLogLevel } from '../../shared/service-log/levels.ts'
import { type LogFields, sanitizeFields } from '../../shared/service-log/line.ts'
import { signalUrl } from '../../shared/telemetry/collector.ts'
import {
  encodeLogRecord,
  encodeSpan,
  LOGS_PATH,
  logsRequest,
  type Resource,
  TRACES_PATH,
  tracesRequest,
} from '../../shared/telemetry/otlp-json.ts'
import { Tracer } from '../../shared/telemetry/tracer.ts'
import { type Env, environmentFaults, settingsOf } from '../env.ts'
import { count } from '../metrics/counts.ts'
import { seriesOf } from '../metrics/series.ts'
import { sleep } from '../sleep.ts'
import { buildOf } from '../version.ts'
import { Exporter } from './exporter.ts'

type EdgeTelemetry = {
  tracer: Tracer
  addLog(level: ServiceLogLevel, time: number, event: string, facts: LogFields): void
}

/**
 * Extends the lifetime of the current request, of the Worker or of an object. Set by the entry point, because scripts that
 * run in Node import this module too.
 */
let waitUntil: ((work: Promise<unknown>) => void) | undefined

export function exportInBackground(extend: (work: Promise<unknown>) => void): void {
  waitUntil = extend
}

let opened: { env: object; telemetry: EdgeTelemetry | undefined } | undefined

/** Returns undefined if no collector is configured. The result is cached per isolate. */
export function telemetryOf(
  env: Partial<Pick<Env, 'OTEL_EXPORTER_OTLP_ENDPOINT'>>,
): EdgeTelemetry | undefined {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  if (opened?.env !== env) opened = { env, telemetry: openTelemetry(env as Env) }
  return opened.telemetry
}

function openTelemetry(env: Env): EdgeTelemetry | undefined {
  if (environmentFaults(env).length > 0) return undefined
  const settings = settingsOf(env)
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return undefined
  const resource: Resource = {
    'service.name': settings.OTEL_SERVICE_NAME,
    'service.version': buildOf(settings).version,
    'service.instance.id': crypto.randomUUID(),
    'deployment.environment.name': settings.SVC_ENV,
  }
  const open = (
    signal: 'traces' | 'logs',
    path: string,
    encode: (to: Resource, items: readonly string[]) => string,
  ) =>
    new Exporter({
      url: signalUrl(endpoint, path),
      headers: {
        ...Object.fromEntries(settings.OTEL_EXPORTER_OTLP_HEADERS ?? []),
        'content-type': 'application/json',
      },
      encode: (items) => encode(resource, items),
      fetch: (url, init) => fetch(url, init),
      now: Date.now,
      sleep,
      random: Math.random,
      waitUntil: (work) => waitUntil?.(work),
      onDropped: (items) => countDropped(signal, items),
    })
  const traces = open('traces', TRACES_PATH, tracesRequest)
  const logs = open('logs', LOGS_PATH, logsRequest)
  const tracer = new Tracer({
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    now: Date.now,
    randomBytes: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    random: Math.random,
    export: (span) => traces.add(encodeSpan(span)),
    onDropped: (spans) => countDropped('traces', spans),
  })
  return {
    tracer,
    addLog: (level, time, event, facts) =>
      logs.add(encodeLogRecord({ time, level, event, fields: sanitizeFields(facts) })),
  }
}

function countDropped(signal: 'traces' | 'logs', items: number): void {
  count(seriesOf('svc_edge_telemetry_dropped_total', { signal }), items)
}
