import { boundedText, cancel, TextCut } from '../../bounded-text.ts'
import type { EndpointAddress } from './endpoint-address.ts'
import { EndpointFailed } from './endpoint-failure.ts'

export type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Resolves early when the signal is aborted. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  /** Unix milliseconds. */
  now: () => number
}

const ANSWER_WITHIN_MS = 10_000

/**
 * Must exceed the largest log, about 14 MiB of hex, although several responses may be in flight in a Durable Object
 * with 128 MB of memory. Logs in a larger response are requested in smaller ranges, or in parts for a single block.
 */
const ANSWER_MAX_BYTES = 16 * 1024 * 1024

/** `json` is undefined if the body is not JSON and the status is not 200. */
export type Posted = { status: number; retryAfter: string | null; json: unknown }

/** @throws {EndpointFailed} of kind `timeout`, `unreachable`, `redirected`, `cut`, `too_large` or `not_json` */
export async function post(
  { fetch, sleep }: Network,
  { url, headers }: EndpointAddress,
  body: string,
): Promise<Posted> {
  const waited = new AbortController()
  const given = new AbortController()
  const late = sleep(ANSWER_WITHIN_MS, waited.signal).then(() => {
    throw new EndpointFailed('timeout')
  })
  const asked = async (): Promise<Posted> => {
    const init: RequestInit = {
      method: 'POST',
      headers,
      body,
      // Following redirects would send the key in the headers or path to another host.
      redirect: 'manual',
      signal: given.signal,
    }
    const answer = await fetch(url, init).catch((error: unknown) => {
      throw new EndpointFailed(tookTooLong(error) ? 'timeout' : 'unreachable')
    })
    return await read(answer)
  }
  try {
    return await Promise.race([asked(), late])
  } finally {
    waited.abort()
    given.abort()
  }
}

async function read(answer: Response): Promise<Posted> {
  const { status } = answer
  if (status === 0 || (status >= 300 && status < 400)) {
    await cancel(answer.body)
    throw new EndpointFailed('redirected')
  }
  const text = await boundedText(answer, ANSWER_MAX_BYTES).catch((error: unknown) => {
    throw error instanceof TextCut ? new EndpointFailed(error.reason) : error
  })
  const retryAfter = answer.headers.get('retry-after')
  try {
    return { status, retryAfter, json: JSON.parse(text) as unknown }
  } catch {
    if (status === 200) throw new EndpointFailed('not_json')
    return { status, retryAfter, json: undefined }
  }
}

function tookTooLong(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
}
