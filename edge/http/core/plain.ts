import { passedHeaders } from '../../../shared/wire/passed-headers.ts'
import { OriginAway } from '../../trust/origin-away.ts'

/** The origin answers reads from memory, and the processor's webhook after one write. */
const HEAD_TIMEOUT_MS = 30_000

/**
 * Sandboxes documents from the origin. They are served from this service's own origin, where pages act on a user's
 * behalf; with CSP `sandbox` they get an opaque origin, and cannot read or operate our pages.
 */
const DOCUMENT_POLICY = 'sandbox allow-scripts'

/**
 * Matches the whole header: browsers use the last type of `application/json, text/html` (Fetch, extract a MIME type).
 */
const JSON_ALONE = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i

type Passed = {
  body?: Uint8Array<ArrayBuffer> | undefined
  /** Time until the response begins. */
  withinMs?: number
}

/**
 * Forwards a request without secrets over TLS only, and streams the response.
 * @throws {OriginAway}
 */
export async function passPlain(
  request: Request,
  target: URL,
  { body, withinMs = HEAD_TIMEOUT_MS }: Passed = {},
): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), withinMs)
  try {
    const response = await fetch(target, {
      method: request.method,
      headers: new Headers(passedHeaders(request.headers)),
      redirect: 'manual',
      signal: late.signal,
      ...(body && { body }),
    })
    const headers = new Headers(passedHeaders(response.headers))
    if (!JSON_ALONE.test(headers.get('content-type') ?? ''))
      headers.append('content-security-policy', DOCUMENT_POLICY)
    return new Response(response.body, { status: response.status, headers })
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown'
    throw new OriginAway(`the origin was not reached: ${reason}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
