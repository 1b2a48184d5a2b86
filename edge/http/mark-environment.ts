import { environmentHeaders } from '../../shared/config/environments.ts'
import { type Env, settingsOf } from '../env.ts'

const EXPOSED_HEADERS = 'access-control-expose-headers'

/**
 * Names the environment in a header of the response, unless it is one that needs no mark. Pages of other sites can read
 * the header if they can read the response.
 */
export function markEnvironment(response: Response, env: Env): Response {
  const headers = Object.entries(environmentHeaders(settingsOf(env).SVC_ENV))
  if (headers.length === 0) return response
  const marked = new Response(response.body, response)
  for (const [name, value] of headers) {
    marked.headers.set(name, value)
    if (marked.headers.has('access-control-allow-origin'))
      marked.headers.append(EXPOSED_HEADERS, name)
  }
  return marked
}
