import { forwardedHeaders } from '../../../shared/wire/forwarded-headers.ts'
import { OriginUnavailableError } from '../../trust/origin-unavailable-error.ts'

/**
 * Timeout for the response's head. Generous, because the origin serves reads from memory and answers the payment
 * processor's webhook after a single write.
 */
const HEAD_TIMEOUT_MS = 30_000

/**
 * Content security policy for documents from the origin, which share the web origin of our pages. Our pages act on a
 * user's behalf. With `sandbox`, browsers assign an opaque web origin to the documents, so that they cannot access our
 * pages.
 */
const DOCUMENT_POLICY = 'sandbox allow-scripts'

/**
 * Matches the whole header, because browsers use the last type of a list such as `application/json, text/html` (Fetch
 * standard, extract a MIME type).
 */
const JSON_TYPE = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i

type ForwardOptions = {
  body?: Uint8Array<ArrayBuffer> | undefined
  withinMs?: number
}

/**
 * The request must not contain secrets.
 * @throws {OriginUnavailableError} if the origin is unreachable or does not respond in time
 */
export async function forwardUnsealed(
  request: Request,
  target: URL,
  { body, withinMs = HEAD_TIMEOUT_MS }: ForwardOptions = {},
): Promise<Response> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), withinMs)
  try {
    const response = await fetch(target, {
      method: request.method,
      headers: new Headers(forwardedHeaders(request.headers)),
      redirect: 'manual',
      signal: timeout.signal,
      ...(body && { body }),
    })
    const headers = new Headers(forwardedHeaders(response.headers))
    if (!JSON_TYPE.test(headers.get('content-type') ?? ''))
      headers.append('content-security-policy', DOCUMENT_POLICY)
    return new Response(response.body, { status: response.status, headers })
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown'
    throw new OriginUnavailableError(`the origin is unreachable: ${reason}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
