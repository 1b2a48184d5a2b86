import { runTrace } from '../../shared/telemetry/run-trace.ts'
import {
  parseTraceparent,
  type TraceContext,
  TRACEPARENT_HEADER,
} from '../../shared/telemetry/trace-context.ts'
import type { Env } from '../env.ts'
import { telemetryOf } from './telemetry.ts'

type RequestTrace = { context: TraceContext; parent: TraceContext | undefined; run?: TraceContext }

const traces = new WeakMap<Request, RequestTrace>()

/**
 * Returns the context of a request's span, which continues the client's trace. Undefined if no collector is configured.
 */
export function requestContext(request: Request, env: Env): TraceContext | undefined {
  return traceOf(request, env)?.context
}

function traceOf(request: Request, env: Env): RequestTrace | undefined {
  const tracer = telemetryOf(env)?.tracer
  if (!tracer) return undefined
  const known = traces.get(request)
  if (known) return known
  const parent = parseTraceparent(request.headers.get(TRACEPARENT_HEADER))
  const trace = { context: tracer.requestContext(parent), parent }
  traces.set(request, trace)
  return trace
}

/**
 * Links the request of a webhook to the run that it queued, and records both or neither. The run has a trace of its own,
 * because the sender, who is not trusted, may put any ID into `traceparent`.
 */
export function linkRun(request: Request, runId: string, env: Env): void {
  const tracer = telemetryOf(env)?.tracer
  const trace = traceOf(request, env)
  if (!tracer || !trace) return
  const { traceId, runSpanId } = runTrace(runId)
  const isSampled = tracer.samplesRun(traceId)
  trace.context = { ...trace.context, isSampled }
  trace.run = { traceId, spanId: runSpanId, isSampled }
}

type AnsweredRequest = {
  route: string
  method: string
  status: number
  /** Unix milliseconds. */
  began: number
  endedAt: number
  requestId: string | undefined
}

export function recordRequestSpan(
  request: Request,
  { route, method, status, began, endedAt, requestId }: AnsweredRequest,
  env: Env,
): void {
  const tracer = telemetryOf(env)?.tracer
  const trace = traceOf(request, env)
  if (!tracer || !trace) return
  const { context, parent, run } = trace
  tracer.record({
    context,
    parentSpanId: parent?.spanId,
    name: `${method} ${route}`,
    kind: 'server',
    startedAt: began,
    endedAt: Math.max(began, endedAt),
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'svc.request_id': requestId,
      ...(status >= 500 ? { 'error.type': String(status) } : {}),
    },
    ...(run ? { links: [run] } : {}),
    isError: status >= 500,
  })
}
