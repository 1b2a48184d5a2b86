import { EVIDENCE_TIMEOUT_MS } from '../limits.ts'
import { readBoundedBody } from '../network/bounded-body.ts'

/** The evidence could not be fetched or is malformed. This error does not imply that the origin is untrustworthy. */
export class EvidenceFetchError extends Error {
  /** Status of the response, if it was not 200. */
  readonly status: number | undefined
  constructor(reason: string, options?: ErrorOptions & { status?: number }) {
    super(`the origin's evidence is unavailable: ${reason}`, options)
    this.name = 'EvidenceFetchError'
    this.status = options?.status
  }
}

export type FetchText = (path: string, maxBytes: number) => Promise<string>

type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  signal?: AbortSignal
}

/**
 * @throws {EvidenceFetchError} if the status is not 200, the body exceeds the limit or is not UTF-8, or the response
 * takes longer than `EVIDENCE_TIMEOUT_MS`
 */
export async function fetchBounded(
  { fetch, signal }: Network,
  url: string,
  maxBytes: number,
): Promise<string> {
  const { pathname } = new URL(url)
  const timeout = AbortSignal.timeout(EVIDENCE_TIMEOUT_MS)
  const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    // Redirects are not followed, because another host could then serve its own evidence instead of the origin's.
    const answer = await fetch(url, { redirect: 'manual', signal: abortSignal })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      const reason = `${pathname} responded with ${answer.status || 'a redirect'}`
      throw new EvidenceFetchError(reason, { status: answer.status })
    }
    const bytes = await readBoundedBody(answer, maxBytes)
    if (!bytes) throw new EvidenceFetchError(`${pathname} is larger than ${maxBytes} bytes`)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof EvidenceFetchError) throw error
    const reason = error instanceof Error ? error.message : 'no response'
    throw new EvidenceFetchError(`${pathname}: ${reason}`, { cause: error })
  }
}
