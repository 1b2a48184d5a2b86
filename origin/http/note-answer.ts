import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'
import { HEALTH_PATH, METRICS_PATH } from '../../shared/wire/operating.ts'
import type { Services } from '../services.ts'
import type { OriginEnv } from './operation.ts'

/** In the place of a route where no route of ours was asked for. */
const NO_ROUTE = 'none'

/** Asked so often, and by machines, that a line for each would hide the rest. */
const PROBES: readonly string[] = [HEALTH_PATH, METRICS_PATH]

/** The pattern of the route, as it is registered: a path may have a key or an id in it, and its labels no end. */
export function routeOf(context: Context<OriginEnv>): string {
  return matchedRoutes(context).findLast(({ method }) => method !== 'ALL')?.path ?? NO_ROUTE
}

/** One line and one count for each answer. */
export function noteAnswer(
  context: Context<OriginEnv>,
  ms: number,
  { counters, log }: Pick<Services, 'counters' | 'log'>,
): void {
  const { method } = context.req
  const { status } = context.res
  const route = routeOf(context)
  counters.answered({ method, route, status, ms })
  log(PROBES.includes(route) ? 'probe.answered' : 'request.answered', {
    method,
    route,
    status,
    duration_ms: Math.round(ms * 10) / 10,
    request_id: context.get('requestId'),
  })
}
