import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../shared/errors/api-error.ts'
import { bearerToken } from '../../shared/wire/api-key.ts'
import { METRICS_PATH, METRICS_TYPE } from '../../shared/wire/monitoring-paths.ts'
import type { OriginServices } from '../services.ts'
import { unmatchedRouteError } from './unmatched-route-error.ts'
import type { OriginApp } from './operation.ts'

/** If `SVC_METRICS_TOKEN` is not set, responds with the same 404 as for an unknown path. */
export function mountMetrics(app: OriginApp, { counters, settings }: OriginServices): void {
  const { SVC_METRICS_TOKEN: token } = settings
  app.get(METRICS_PATH, async (context) => {
    if (token === undefined) throw unmatchedRouteError(context.req, [])
    if (!isSameToken(bearerToken(context.req.header('authorization')) ?? '', token))
      throw wrongToken()
    const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }
    return context.body(await counters.registry.metrics(), 200, headers)
  })
}

/** Compares two tokens in constant time, so that timing reveals nothing about the configured token. */
function isSameToken(sent: string, token: string): boolean {
  const [one, other] = [sent, token].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(one!, other!)
}

function wrongToken(): ApiError {
  return new ApiError(
    401,
    'The metrics token is missing or wrong.',
    'Send Authorization: Bearer <token> with the value of SVC_METRICS_TOKEN.',
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}
