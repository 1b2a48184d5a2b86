import { PROBE_PATHS } from '../../shared/wire/monitoring-paths.ts'
import type { Env } from '../env.ts'
import { logEvent } from '../log.ts'
import { count, scheduleFlush, observe } from '../metrics/counts.ts'
import { seriesOf } from '../metrics/series.ts'
import { recordRequestSpan } from '../telemetry/request-trace.ts'
import { recordedRoute } from './request-route.ts'
import { WEBHOOK_ROUTE } from './webhook.ts'

/**
 * HTTP methods that are counted by name. Other methods are counted as `OTHER`, because clients can invent methods, and
 * every value of a metric label is stored permanently.
 */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const DISABLED = 'trigger_disabled'

/**
 * Counts and logs a response. Call this function when the response is ready, so that clients do not wait for logging.
 * @param began time at which the request arrived, in Unix milliseconds; a Worker's clock does not advance during
 *   computation
 */
export function recordResponse(
  { request, response, began }: { request: Request; response: Response; began: number },
  env: Env,
  context: Pick<ExecutionContext, 'waitUntil'>,
): void {
  const route = recordedRoute(request)
  const ms = Math.max(0, Date.now() - began)
  const method = METHODS.includes(request.method) ? request.method : 'OTHER'
  const { status } = response
  // Senders get a 503 for a trigger that its owner disabled, so that they try again. This is not a failure of the
  // service.
  const isDisabled = response.headers.get('x-svc-error') === DISABLED
  const reason = isDisabled && route === WEBHOOK_ROUTE ? { error: DISABLED } : {}
  count(seriesOf('svc_edge_requests_total', { method, route, status, ...reason }))
  const kind = route === WEBHOOK_ROUTE && method === 'POST' ? 'webhook' : 'other'
  observe('svc_edge_request_duration_seconds', { of: kind }, ms / 1000)
  scheduleFlush(env, context)
  const isProbe = PROBE_PATHS.includes(route)
  const requestId = response.headers.get('x-request-id') ?? undefined
  logEvent(env, isProbe ? 'probe.answered' : 'request.answered', {
    method,
    route,
    status,
    duration_ms: ms,
    request_id: requestId,
  })
  const answered = { route, method, status, began, endedAt: began + ms, requestId }
  if (!isProbe) recordRequestSpan(request, answered, env)
}
