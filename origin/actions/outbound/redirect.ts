import { OutboundError } from './outbound-error.ts'
import type { OutboundRequest } from './outbound-request.ts'
import { readTarget, type Target } from './target.ts'

const STATUSES = [301, 302, 303, 307, 308]
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type']
/**
 * Headers that are removed when a redirect leads to another origin. The Fetch standard lists only `authorization`,
 * because browsers handle cookies themselves.
 */
const CREDENTIAL_HEADERS = ['authorization', 'cookie']

type RequestParts = Pick<OutboundRequest, 'method' | 'headers' | 'body'>

export function redirectLocation(
  status: number,
  headers: readonly [string, string][],
): string | undefined {
  if (!STATUSES.includes(status)) return undefined
  return headers.find(([name]) => name === 'location')?.[1]
}

/**
 * Builds the next request for a redirect (Fetch standard, HTTP-redirect fetch).
 * @throws {OutboundError} if the redirect leads to a URL that actions may not request
 */
export function followRedirect(
  request: RequestParts,
  from: Target,
  status: number,
  location: string,
): { target: Target; request: RequestParts } {
  const target = redirectTarget(location, from)
  if (target.url.hash === '') target.url.hash = from.url.hash
  const { method } = request
  const becomesGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST')
  const droppedHeaders = [
    ...(becomesGet ? BODY_HEADERS : []),
    ...(target.url.origin === from.url.origin ? [] : CREDENTIAL_HEADERS),
  ]
  const headers = request.headers.filter(([name]) => !droppedHeaders.includes(name))
  if (becomesGet) return { target, request: { method: 'GET', headers, body: undefined } }
  return { target, request: { ...request, headers } }
}

function redirectTarget(location: string, from: Target): Target {
  try {
    return readTarget(location, from.url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new OutboundError(`${from.named} redirects to a forbidden URL: ${error.message}`)
  }
}
