import type { Context } from 'hono'
import { parseTraceparent, TRACEPARENT_HEADER } from '../../shared/telemetry/trace-context.ts'
import type { Span, Tracer } from '../../shared/telemetry/tracer.ts'
import { PROBE_PATHS } from '../../shared/wire/monitoring-paths.ts'
import { SEALED_HTTP_PATH } from '../../shared/wire/sealed-http.ts'
import { SEALED_KEY_STATES_PATH } from '../../shared/wire/sealed-key-states.ts'
import { SEALED_KEYS_PATH } from '../../shared/wire/sealed-keys.ts'
import { SEALED_RUNS_PATH } from '../../shared/wire/sealed-runs.ts'
import { SEALED_OUTCOMES_PATH } from '../../shared/wire/sealed.ts'
import type { RequestBindings } from './client-address.ts'
import type { OriginEnv } from './operation.ts'
import { routePattern } from './record-handled-request.ts'

/**
 * Requests without a span of their own: probes, and envelopes of the edge. The runs and requests inside an envelope have
 * spans.
 */
const UNTRACED: ReadonlySet<string> = new Set([
  ...PROBE_PATHS,
  SEALED_HTTP_PATH,
  SEALED_KEYS_PATH,
  SEALED_KEY_STATES_PATH,
  SEALED_OUTCOMES_PATH,
  SEALED_RUNS_PATH,
])

/** Undefined if the request is not traced. The span is named when it ends, because the route is unknown before. */
export function startRequestSpan(
  context: Context<OriginEnv>,
  tracer: Tracer | undefined,
): Span | undefined {
  if (!tracer || UNTRACED.has(context.req.path)) return undefined
  const ofEdge = contextOfEdge(context)
  // The edge is authenticated, so its decision to sample is used.
  const trace = ofEdge ? tracer.childContext(ofEdge) : tracer.requestContext(parentOf(context))
  const parentSpanId = (ofEdge ?? parentOf(context))?.spanId
  return tracer.start('request', trace, { kind: 'server', parentSpanId })
}

export function endRequestSpan(span: Span, context: Context<OriginEnv>): void {
  const route = routePattern(context)
  const { status } = context.res
  span.rename(`${context.req.method} ${route}`)
  span.set({
    'http.request.method': context.req.method,
    'http.route': route,
    'http.response.status_code': status,
    'svc.request_id': context.get('requestId'),
  })
  if (status >= 500) span.fail(String(status))
  span.end()
}

/** The header comes from a client, which is not trusted: it may name any trace. */
function parentOf(context: Context<OriginEnv>) {
  return parseTraceparent(context.req.header(TRACEPARENT_HEADER))
}

function contextOfEdge({ env }: Context<OriginEnv>) {
  const bindings = env as Partial<RequestBindings> | undefined
  return bindings && 'envelope' in bindings ? parseTraceparent(bindings.envelope?.trace) : undefined
}
