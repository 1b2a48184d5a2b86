import { EVIDENCE_ANSWER_MS } from '../limits.ts'
import { joinBytes } from '../envelope/format.ts'

/** The evidence could not be fetched or is malformed. This does not imply that the origin is untrustworthy. */
export class EvidenceUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the origin's evidence is unavailable: ${reason}`, options)
    this.name = 'EvidenceUnavailable'
  }
}

export type Ask = (path: string, maxBytes: number) => Promise<string>

type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  signal?: AbortSignal
}

/**
 * @throws {EvidenceUnavailable} if the status is not 200, the body exceeds the limit or is not UTF-8, or the response
 * takes longer than `EVIDENCE_ANSWER_MS`
 */
export async function bounded(
  { fetch, signal }: Network,
  url: string,
  maxBytes: number,
): Promise<string> {
  const { pathname } = new URL(url)
  const late = AbortSignal.timeout(EVIDENCE_ANSWER_MS)
  const ends = signal ? AbortSignal.any([signal, late]) : late
  try {
    // Redirects are not followed: another host could serve its own evidence in place of the origin's.
    const answer = await fetch(url, { redirect: 'manual', signal: ends })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      throw new EvidenceUnavailable(`${pathname} responded with ${answer.status || 'a redirect'}`)
    }
    const bytes = await atMost(answer, maxBytes)
    if (!bytes) throw new EvidenceUnavailable(`${pathname} is larger than ${maxBytes} bytes`)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof EvidenceUnavailable) throw error
    const reason = error instanceof Error ? error.message : 'no response'
    throw new EvidenceUnavailable(`${pathname}: ${reason}`, { cause: error })
  }
}

async function atMost(answer: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = answer.body?.getReader()
  if (!reader) return new Uint8Array()
  const parts: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joinBytes(...parts)
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      return undefined
    }
    parts.push(value)
  }
}
