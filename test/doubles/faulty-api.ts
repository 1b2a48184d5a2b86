/** API with scripted responses over real connections, for rare failures of an origin. */
import type { ServerResponse } from 'node:http'
import { type Received, startWebServer } from './web-server.ts'

export type Fault = {
  /** Default 200. */
  status?: number
  headers?: Record<string, string>
  /** Sent as JSON, unless a content type is set. */
  body?: unknown
  /** Closes the connection before the response or in the middle of the body. */
  cut?: 'unanswered' | 'halfway'
  /** Sends no response until the double is closed. */
  silent?: true
}

export type FaultyApi = Awaited<ReturnType<typeof startFaultyApi>>

/** Answers each request with the next step of the script; the last step repeats. */
export async function startFaultyApi() {
  let script: readonly Fault[] = []
  let step = 0
  let onAsked: (() => void) | undefined
  const server = await startWebServer((request, response) => {
    const fault = script[Math.min(step++, script.length - 1)] ?? {}
    onAsked?.()
    answer(fault, request, response)
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received: server.received,
    play: (...steps: Fault[]) => {
      script = steps
      step = 0
      server.received.length = 0
    },
    /** Resolves with the next request. */
    asked: () => new Promise<void>((resolve) => (onAsked = resolve)),
    close: server.close,
  }
}

function answer(fault: Fault, _request: Received, response: ServerResponse): void {
  const { status = 200, headers = {}, body, cut, silent } = fault
  if (silent) return
  if (cut === 'unanswered') return void response.socket?.destroy()
  const text =
    typeof body === 'string' && 'content-type' in headers ? body : JSON.stringify(body ?? {})
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  if (cut !== 'halfway') return void response.end(text)
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
}

export function refusal(
  status: number,
  error: string,
  facts: { retryAfter?: string; message?: string } = {},
): Fault {
  const { retryAfter, message = `refused: ${error}` } = facts
  return {
    status,
    headers: {
      'x-request-id': 'request-1',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    },
    body: { error, message, fix: `what to do about ${error}`, docs_url: 'https://docs.test' },
  }
}
