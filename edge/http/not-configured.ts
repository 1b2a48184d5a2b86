/** Responses of a deployment with missing or malformed settings or bindings. */
import { describeFaults, type SettingFault } from '../../shared/config/parse-settings.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { HEALTH_PATH } from '../../shared/wire/monitoring-paths.ts'
import { environmentFaults, type Env } from '../env.ts'
import { logEvent } from '../log.ts'
import { traceHeaders } from './trace-headers.ts'

export const NOT_CONFIGURED = 'not_configured'

const RETRY_S = '300'

/**
 * Rejects every request with 503 if the deployment is not configured. `/health` then names the faulty settings. Uses no
 * setting and no binding itself.
 * @returns `undefined` if the deployment is configured
 */
export function rejectIfNotConfigured(request: Request, env: Env): Response | undefined {
  const faults = environmentFaults(env)
  if (faults.length === 0) return undefined
  logOnce(env, faults)
  const { pathname, origin } = new URL(request.url)
  const headers = {
    ...traceHeaders(request),
    'cache-control': 'no-store',
    'retry-after': RETRY_S,
    'x-content-type-options': 'nosniff',
  }
  if (pathname === HEALTH_PATH) return Response.json(healthBody(faults), { status: 503, headers })
  const failure = new ApiError(
    503,
    'This deployment is not configured.',
    `The operator has to correct the settings that ${HEALTH_PATH} names.`,
    { reason: NOT_CONFIGURED },
  )
  const body = failure.toBody(origin)
  return Response.json(body, { status: 503, headers: { ...headers, ...failure.headers } })
}

function healthBody(faults: readonly SettingFault[]) {
  return {
    status: 'down',
    reasons: [{ code: NOT_CONFIGURED, message: 'Settings are missing or malformed.' }],
    settings: faults.map(([name, fault]) => ({ name, fault })),
  }
}

let logged: Env | undefined

/** Logs the faults once per isolate, so that requests cannot fill the log. */
function logOnce(env: Env, faults: readonly SettingFault[]): void {
  if (logged === env) return
  logged = env
  logEvent(env, 'edge.not_configured', { settings: describeFaults(faults) })
}
