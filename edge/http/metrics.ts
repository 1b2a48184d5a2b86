import { ApiError } from '../../shared/errors/api-error.ts'
import { bearerToken } from '../../shared/wire/api-key.ts'
import { METRICS_PATH, METRICS_TYPE } from '../../shared/wire/monitoring-paths.ts'
import { readSamples } from '../metrics/read-samples.ts'
import { exposition } from '../metrics/exposition.ts'
import type { App } from './app-env.ts'
import { isSameToken } from '../same-token.ts'
import { unmatchedRoute } from './unmatched-route.ts'

/** If the setting is absent, responds with 404, as for an unknown path. */
export function registerMetrics(app: App): void {
  app.get(METRICS_PATH, async (c) => {
    const { METRICS_TOKEN: token } = c.var.services.settings
    if (token === undefined) throw unmatchedRoute(c.req.method, [])
    if (!(await isSameToken(bearerToken(c.req.header('authorization')) ?? '', token)))
      throw invalidMetricsToken()
    const text = exposition(await readSamples(c.env, c.var.services))
    return c.body(text, 200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' })
  })
}

function invalidMetricsToken(): ApiError {
  return new ApiError(
    401,
    'The metrics token is missing or wrong.',
    'Send Authorization: Bearer with the value of METRICS_TOKEN.',
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}
