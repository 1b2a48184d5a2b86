import { ApiError } from '../../shared/errors.ts'
import { isHost } from '../../shared/http-host.ts'
import type { Env } from '../env.ts'
import { refusal } from './refusal.ts'

/**
 * Rejects a request with an invalid Host header with 400 (RFC 9112, 3.2). The runtime prepends Host to the path when it
 * builds the URL, so `Host: x/health?` would be routed to `/health` whatever the path.
 * @returns `undefined` for all other requests
 */
export function refuseHost(request: Request, env: Env): Response | undefined {
  const host = request.headers.get('host')
  if (host === null || isHost(host)) return undefined
  const failure = new ApiError(
    400,
    'The Host header is not a host.',
    'Send one Host header, with the name and the port of this service.',
  )
  return refusal(failure, request, env)
}
