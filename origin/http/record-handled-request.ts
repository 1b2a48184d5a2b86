import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import { NO_ROUTE, PROBE_PATHS } from '../../shared/wire/monitoring-paths.ts'
import type { OriginServices } from '../services.ts'
import type { OriginEnv } from './operation.ts'

/** Raw paths are not recorded, because they can contain keys or IDs and their number is unlimited. */
export function routePattern(context: Context<OriginEnv>): string {
  return matchedRoutes(context).findLast(({ method }) => method !== 'ALL')?.path ?? NO_ROUTE
}

export function recordHandledRequest(
  context: Context<OriginEnv>,
  ms: number,
  { counters, log }: Pick<OriginServices, 'counters' | 'log'>,
): void {
  const { method } = context.req
  const { status } = context.res
  const route = routePattern(context)
  counters.countRequest({ method, route, status, ms })
  log(PROBE_PATHS.includes(route) ? 'probe.answered' : 'request.answered', {
    method,
    route,
    status,
    duration_ms: Math.round(ms * 10) / 10,
    request_id: context.get('requestId'),
  })
}
