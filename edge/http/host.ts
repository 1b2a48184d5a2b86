import { ApiError } from '../../shared/errors.ts'
import { isHost } from '../../shared/http-host.ts'
import type { Env } from '../env.ts'
import { refusal } from './refusal.ts'

/**
 * RFC 9112, 3.2. The runtime builds the URL by prepending the Host header to the path, so a request with
 * `Host: x/health?` would be routed to `/health`, regardless of its actual path.
 * @returns a response with status 400, or `undefined` if the header is valid
 */
export function refuseHost(request: Request, env: Env): Response | undefined {
  const host = request.headers.get('host')
  if (host === null || isHost(host)) return undefined
  const failure = new ApiError(
    400,
    'The Host header is not a valid host.',
    'Send one Host header with the name and port of this service.',
  )
  return refusal(failure, request, env)
}
