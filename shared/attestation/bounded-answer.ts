import { EVIDENCE_ANSWER_MS } from '../limits.ts'
import { joinBytes } from '../envelope/format.ts'

/** The origin does not show its evidence, or not in its shape; nothing is known of it. */
export class EvidenceUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the origin's evidence is not there: ${reason}`, options)
    this.name = 'EvidenceUnavailable'
  }
}

/** The text of a path's answer. */
export type Ask = (path: string, maxBytes: number) => Promise<string>

type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  signal?: AbortSignal
}

/**
 * The text of an answer with status 200, byte for byte.
 * @throws {EvidenceUnavailable} for another status, a redirect, more bytes, what is not UTF-8, and for what is not there
 *   in `EVIDENCE_ANSWER_MS`
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
    // Followed, a redirect would have the evidence of another host stand for this one.
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
