import { ApiError } from '../../shared/errors/api-error.ts'
import { isHost } from '../../shared/network/http-host.ts'
import type { Env } from '../env.ts'
import { toErrorResponse } from './error-response.ts'

/**
 * Rejects requests with an invalid Host header (RFC 9112, 3.2). The runtime concatenates the Host header and the path
 * to a URL, so a request with `Host: x/health?` would be routed to `/health`, regardless of its actual path.
 * @returns a response with status 400, or `undefined` if the header is valid
 */
export function rejectInvalidHost(request: Request, env: Env): Response | undefined {
  const host = request.headers.get('host')
  if (host === null || isHost(host)) return undefined
  const failure = new ApiError(
    400,
    'The Host header is not a valid host.',
    'Send one Host header with the name and port of this service.',
  )
  return toErrorResponse(failure, request, env)
}
