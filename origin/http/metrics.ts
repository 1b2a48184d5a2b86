import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../shared/errors.ts'
import { bearerOf } from '../../shared/metrics-token.ts'
import { METRICS_PATH, METRICS_TYPE } from '../../shared/wire/operating.ts'
import type { Services } from '../services.ts'
import { nothingAt } from './nothing-at.ts'
import type { OriginApp } from './operation.ts'

/** `GET /metrics`: without `SVC_METRICS_TOKEN`, the same 404 as an unknown path. */
export function mountMetrics(app: OriginApp, { counters, settings }: Services): void {
  const { SVC_METRICS_TOKEN: token } = settings
  app.get(METRICS_PATH, async (context) => {
    if (token === undefined) throw nothingAt(context.req, [])
    if (!isSame(bearerOf(context.req.header('authorization')) ?? '', token)) throw notTheToken()
    const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }
    return context.body(await counters.registry.metrics(), 200, headers)
  })
}

/** Compares in constant time, so that timing reveals nothing about the configured token. */
function isSame(sent: string, token: string): boolean {
  const [one, other] = [sent, token].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(one!, other!)
}

function notTheToken(): ApiError {
  return new ApiError(
    401,
    'The metrics token is missing or wrong.',
    'Send Authorization: Bearer <token> with the value of SVC_METRICS_TOKEN.',
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}
