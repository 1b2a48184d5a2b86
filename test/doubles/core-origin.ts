/** Core API of the origin double: echoes forwarded requests, or answers as scripted. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StoredUsageKeys } from '../../origin/channel/stored-usage-keys.ts'
import { SEALED_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import {
  encodeFrame,
  type SealedHttpRequest,
  type SealedHttpResponse,
  sealedHttpRequestSchema,
  decodeFrame,
} from '../../shared/wire/sealed-http.ts'
import type { Asked, CoreScript } from './core-script.ts'

type Opened = { plaintext: Buffer; sealResponse: (text: Uint8Array) => Buffer }

/** Answers a request inside the envelope. */
export function answerSealedHttp(
  opened: Opened,
  response: ServerResponse,
  storedKeys: StoredUsageKeys,
): void {
  const parts = decodeFrame(opened.plaintext)
  if (!parts) throw new Error('the text is not framed')
  const head = sealedHttpRequestSchema.parse(JSON.parse(parts.head))
  const headers = Object.fromEntries(head.headers)
  const script = scriptIn(headers)
  if (script.break) return void response.socket?.destroy()
  if (script.unsealed) {
    response.writeHead(script.unsealed, { 'content-type': 'text/plain' })
    return void response.end('a proxy')
  }
  const { method, path, query, client_address } = head
  const body = parts.body.toString('base64')
  const { key, refusal } = openStoredKey(head, storedKeys)
  const asked: Asked = {
    method,
    path,
    query,
    headers,
    body,
    sealed: true,
    client_address,
    ...(key !== undefined && { stored_key: key }),
  }
  const refused = script.refuse ?? refusal
  const answer: SealedHttpResponse | object = refused
    ? { state: 'refused', message: 'by script', fix: 'none', ...refused }
    : { state: 'answered', status: script.status ?? 200, headers: script.headers ?? JSON_HEADERS }
  const text = Buffer.from(script.text ?? JSON.stringify(asked))
  response.writeHead(200, { 'content-type': SEALED_CONTENT_TYPE })
  if (script.pads) response.write(Buffer.alloc(script.pads))
  const sealed = opened.sealResponse(encodeFrame(new Uint8Array(text), text.length, answer))
  // Padding and response must arrive as separate chunks.
  setTimeout(() => response.end(sealed), script.pads ? 50 : 0)
}

/** Opens the stored usage key of the request, if it names one. */
function openStoredKey(
  { stored_key: stored }: SealedHttpRequest,
  storedKeys: StoredUsageKeys,
): { key?: string; refusal?: { status: number; error: string } } {
  try {
    return stored ? { key: storedKeys.open(stored) } : {}
  } catch {
    return { refusal: { status: 400, error: 'bad_request' } }
  }
}

/** Answers an unsealed request. */
export function answerPlain(
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const script = scriptIn(headers)
  if (script.break) return void request.socket.destroy()
  const [path = '', query] = (request.url ?? '').split('?', 2)
  const asked: Asked = {
    method: request.method ?? '',
    path,
    query: query === undefined ? '' : `?${query}`,
    headers,
    body: body.toString('base64'),
    sealed: false,
  }
  response.writeHead(script.status ?? 200, (script.headers ?? JSON_HEADERS).flat())
  response.end(script.text ?? JSON.stringify(asked))
}

const JSON_HEADERS: [string, string][] = [['content-type', 'application/json']]

function scriptIn(headers: Record<string, string>): CoreScript {
  return JSON.parse(headers['x-double'] ?? '{}') as CoreScript
}
