import { randomBytes } from 'node:crypto'
import { RUN_ID_CHARACTERS } from '../../shared/ids.ts'
import type { ServiceLogLevel } from '../../shared/service-log/levels.ts'
import type { LogFields } from '../../shared/service-log/line.ts'
import { isRetryableStatus, signalUrl } from '../../shared/telemetry/collector.ts'
import {
  encodeLogRecord,
  encodeSpan,
  LOGS_PATH,
  logsRequest,
  type Resource,
  TRACES_PATH,
  tracesRequest,
} from '../../shared/telemetry/otlp-json.ts'
import { runTrace } from '../../shared/telemetry/run-trace.ts'
import { Tracer } from '../../shared/telemetry/tracer.ts'
import type { OriginSettings } from '../env.ts'
import type { OriginLog } from '../log.ts'
import type { Counters } from '../metrics/counters.ts'
import type { Build } from '../version.ts'
import { CollectorQueue, type CollectorQueueOptions } from './collector-queue.ts'

export type Signal = 'traces' | 'logs'

export type OriginTelemetry = {
  tracer: Tracer
  /** Exports a line of the log. The fields must be sanitized. */
  addLog(level: ServiceLogLevel, time: number, event: string, fields: LogFields): void
  /** Delivers what remains. Never rejects. */
  close(): Promise<void>
}

type TelemetryDeps = {
  build: Build
  processId: string
  counters: Pick<Counters, 'countDroppedTelemetry'>
  log: OriginLog
} & Pick<CollectorQueueOptions, 'fetch' | 'times'>

/** Returns undefined if no collector is configured. */
export function openTelemetry(
  settings: Pick<
    OriginSettings,
    | 'SVC_ENV'
    | 'OTEL_EXPORTER_OTLP_ENDPOINT'
    | 'OTEL_EXPORTER_OTLP_HEADERS'
    | 'OTEL_TRACES_SAMPLER_ARG'
    | 'OTEL_SERVICE_NAME'
  >,
  { build, processId, counters, log, fetch, times }: TelemetryDeps,
): OriginTelemetry | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = [] } =
    settings
  if (endpoint === undefined) return undefined
  const resource: Resource = {
    'service.name': settings.OTEL_SERVICE_NAME,
    'service.version': build.version,
    'service.instance.id': processId,
    'deployment.environment.name': settings.SVC_ENV,
  }
  const open = (
    signal: Signal,
    path: string,
    encode: (to: Resource, items: readonly string[]) => string,
  ) =>
    new CollectorQueue({
      url: signalUrl(endpoint, path),
      headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
      encode: (items) => encode(resource, items),
      isRefusal: (status) => !isRetryableStatus(status),
      fetch,
      random: Math.random,
      onDropped: (items) => counters.countDroppedTelemetry(signal, items),
      onFailed: (reason) => log('telemetry.failed', { signal, reason }),
      onRecovered: () => log('telemetry.recovered', { signal }),
      ...(times && { times }),
    })
  const traces = open('traces', TRACES_PATH, tracesRequest)
  const logs = open('logs', LOGS_PATH, logsRequest)
  const tracer = new Tracer({
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    // Whole milliseconds: finer durations of key operations would be a timing side channel (docs/decisions/0142).
    now: Date.now,
    randomBytes: (bytes) => randomBytes(bytes),
    random: Math.random,
    export: (span) => traces.add(encodeSpan(span)),
    onDropped: (spans) => counters.countDroppedTelemetry('traces', spans),
  })
  return {
    tracer,
    addLog: (level, time, event, fields) =>
      logs.add(encodeLogRecord({ time, level, event, fields, traceId: traceIdOf(fields) })),
    close: async () => {
      await Promise.all([traces.close(), logs.close()])
    },
  }
}

function traceIdOf({ run_id: runId }: LogFields): string | undefined {
  const isRunId = typeof runId === 'string' && runId.length === RUN_ID_CHARACTERS
  return isRunId ? runTrace(runId).traceId : undefined
}
