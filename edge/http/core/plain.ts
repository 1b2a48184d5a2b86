import { passedHeaders } from '../../../shared/wire/passed-headers.ts'
import { OriginAway } from '../../trust/origin-away.ts'

/** The origin answers reads from memory, and the processor's webhook with one write. */
const HEAD_TIMEOUT_MS = 30_000

/**
 * What the origin answers is shown under this service's own name, whose pages can act for a person: a document among it
 * runs in an origin of its own (CSP, `sandbox`), and can neither read nor press anything of ours.
 */
const DOCUMENT_POLICY = 'sandbox allow-scripts'

/** The whole header: of `application/json, text/html` a browser takes the second (Fetch, extract a MIME type). */
const JSON_ALONE = /^application\/json\s*(;\s*charset=utf-8\s*)?$/i

type Passed = {
  body?: Uint8Array<ArrayBuffer> | undefined
  /** Until the answer begins. */
  withinMs?: number
}

/**
 * Passes a request without a secret on as it is, over TLS alone, and gives the answer back as it comes.
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
