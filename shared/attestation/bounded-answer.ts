import { EVIDENCE_ANSWER_MS } from '../limits.ts'
import { joinBytes } from '../envelope/format.ts'

/**
 * The origin's evidence could not be fetched, or is malformed. It says nothing about whether the origin is trustworthy.
 */
export class EvidenceUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the origin's evidence is not there: ${reason}`, options)
    this.name = 'EvidenceUnavailable'
  }
}

/** Fetches a path and returns the response text. */
export type Ask = (path: string, maxBytes: number) => Promise<string>

type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  signal?: AbortSignal
}

/**
 * Returns the body of a response with status 200, unmodified.
 * @throws {EvidenceUnavailable} for another status, a redirect, a body over the limit or not in UTF-8, and if the
 * response takes longer than `EVIDENCE_ANSWER_MS`
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
    // Following a redirect would accept another host's evidence for this one.
    const answer = await fetch(url, { redirect: 'manual', signal: ends })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      throw new EvidenceUnavailable(`${pathname} answers ${answer.status || 'a redirect'}`)
    }
    const bytes = await atMost(answer, maxBytes)
    if (!bytes) throw new EvidenceUnavailable(`${pathname} has more than ${maxBytes} bytes`)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof EvidenceUnavailable) throw error
    const reason = error instanceof Error ? error.message : 'it does not answer'
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
