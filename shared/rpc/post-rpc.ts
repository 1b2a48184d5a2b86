import { readBoundedText, discardBody, BodyReadError } from '../network/bounded-text.ts'
import type { EndpointAddress } from './endpoint-address.ts'
import { EndpointError } from './endpoint-error.ts'

export type Network = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Resolves after `ms` milliseconds, or as soon as `ended` is aborted. */
  sleep: (ms: number, ended: AbortSignal) => Promise<void>
  now: () => number
  /** Maximum time until the whole response has been read. */
  timeoutMs: number
}

/**
 * Maximum response size. It must exceed the largest log, about 14 MiB of hex, but several responses may be in flight in
 * a Durable Object with 128 MB of memory. If a response is larger, its logs are requested in smaller ranges, or in
 * parts if the range is a single block.
 */
const ANSWER_MAX_BYTES = 16 * 1024 * 1024

/** `json` is undefined if the body is not JSON and the status is not 200. */
export type PostResponse = { status: number; retryAfter: string | null; json: unknown }

/** @throws {EndpointError} of kind `timeout`, `unreachable`, `redirected`, `cut`, `too_large` or `not_json` */
export async function postRpc(
  { fetch, sleep, timeoutMs }: Network,
  { url, headers }: EndpointAddress,
  body: string,
): Promise<PostResponse> {
  const request = new AbortController()
  const send = async (): Promise<PostResponse> => {
    const init: RequestInit = {
      method: 'POST',
      headers,
      body,
      // Following a redirect would send the API key in the headers or path to another host.
      redirect: 'manual',
      signal: request.signal,
    }
    const answer = await fetch(url, init).catch((error: unknown) => {
      throw new EndpointError(isTimeout(error) ? 'timeout' : 'unreachable')
    })
    return await readResponse(answer)
  }
  try {
    return await Promise.race([
      send(),
      sleep(timeoutMs, request.signal).then(() => {
        throw new EndpointError('timeout')
      }),
    ])
  } finally {
    request.abort()
  }
}

async function readResponse(answer: Response): Promise<PostResponse> {
  const { status } = answer
  if (status === 0 || (status >= 300 && status < 400)) {
    await discardBody(answer.body)
    throw new EndpointError('redirected')
  }
  const text = await readBoundedText(answer, ANSWER_MAX_BYTES).catch((error: unknown) => {
    throw error instanceof BodyReadError ? new EndpointError(error.reason) : error
  })
  const retryAfter = answer.headers.get('retry-after')
  try {
    return { status, retryAfter, json: JSON.parse(text) as unknown }
  } catch {
    if (status === 200) throw new EndpointError('not_json')
    return { status, retryAfter, json: undefined }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
}
