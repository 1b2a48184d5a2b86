/** Browser-facing routes of the processor: its client library and CORS preflights. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'

const LIBRARY = readFileSync(new URL('client-library.js', import.meta.url))

/** @returns true if the request was answered */
export function answerToBrowser(
  { method, url }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (method === 'GET' && url === '/v3/') {
    response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(LIBRARY)
    return true
  }
  if (method !== 'OPTIONS') return false
  response
    .writeHead(204, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
    })
    .end()
  return true
}
