/**
 * Sends structured errors for requests that do not reach the app: bytes that are not HTTP/1.1, oversized headers, an
 * invalid Host or target, `CONNECT`, or an unknown `Expect`. The content of such requests never appears in a response
 * or log.
 */
import { randomUUID } from 'node:crypto'
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../../shared/errors/api-error.ts'
import { isHost } from '../../shared/network/http-host.ts'
import { HEAD_MAX_BYTES } from '../../shared/limits.ts'
import type { OriginServices } from '../services.ts'

/**
 * Server options that allow headers up to our limit and disable Node's check of the Host header, which this module
 * replaces.
 */
export const HEAD_OPTIONS = { maxHeaderSize: HEAD_MAX_BYTES, requireHostHeader: false }

type RejectionContext = Pick<OriginServices, 'counters' | 'log'> & { publicUrl: string }

/**
 * Time for which a client may continue to send after a rejection. Closing the connection immediately could lose the
 * response.
 */
const LINGER_MS = 1_000

/** Must be called before the first connection. */
export function rejectMalformedRequests(server: Server, parts: RejectionContext): void {
  const listeners = server.listeners('request') as RequestListener[]
  const latest = new WeakMap<Duplex, ServerResponse>()
  server.removeAllListeners('request')
  server.on('request', (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing)
    const problem = findProblem(incoming)
    if (problem) respond(outgoing, problem, parts)
    else for (const listener of listeners) listener.call(server, incoming, outgoing)
  })
  server.on('checkExpectation', (_, outgoing) => respond(outgoing, unknownExpectation(), parts))
  server.on('connect', (_, socket) => endSocket(socket, notAProxy(), parts))
  server.on('clientError', (error, socket) => rejectBytes(error, socket, latest.get(socket), parts))
}

/**
 * Sockets on which the final response was sent. The parser reports each further chunk on such a socket as another
 * error.
 */
const rejectedSockets = new WeakSet<Duplex>()

/**
 * Rejects bytes that are not a valid request. If an earlier request on the connection still waits for its response,
 * that response is sent first, because the client would mistake the rejection for it.
 */
function rejectBytes(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  response: ServerResponse | undefined,
  parts: RejectionContext,
): void {
  // Bytes after a request with `Connection: close` are ignored (RFC 9112, 9.6).
  if (error.code === 'HPE_CLOSED_CONNECTION' || rejectedSockets.has(socket)) return
  rejectedSockets.add(socket)
  const isDue = response !== undefined && !response.writableFinished
  const isBody = isDue && !response.req.complete
  if (isDue && !isBody)
    response.once('finish', () => endSocket(socket, unreadableRequest(error.code), parts))
  else if (isBody && response.headersSent) socket.destroy()
  else endSocket(socket, isBody ? brokenBody(error.code) : unreadableRequest(error.code), parts)
}

function respond(outgoing: ServerResponse, failure: ApiError, parts: RejectionContext): void {
  const { headers, body } = createRejection(failure, parts)
  outgoing.writeHead(failure.status, headers).end(body)
}

function endSocket(socket: Duplex, failure: ApiError, parts: RejectionContext): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { headers, body } = createRejection(failure, parts)
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const statusLine = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n`
  socket.on('error', () => socket.destroy())
  socket.end(`${statusLine}${fields.join('')}\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
}

function createRejection(failure: ApiError, { counters, log, publicUrl }: RejectionContext) {
  const { status, reason } = failure
  const requestId = randomUUID()
  const method = 'OTHER'
  const route = 'none'
  counters.countRejection(status, reason)
  counters.countRequest({ method, route, status, ms: 0 })
  log('request.answered', { method, route, status, duration_ms: 0, request_id: requestId })
  const body = JSON.stringify(failure.toBody(publicUrl))
  const headers = {
    ...failure.headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'x-request-id, x-svc-error',
    connection: 'close',
  }
  return { headers, body }
}

/**
 * Returns an error unless the request has exactly one valid Host and a valid target (RFC 9112, 3.2). HTTP/1.0 may omit
 * Host.
 */
function findProblem({ rawHeaders, httpVersion, url = '' }: IncomingMessage): ApiError | undefined {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1]!)
  const [host] = hosts
  if (hosts.length > 1) return badHost('The request has more than one Host header.')
  if (host === undefined && httpVersion !== '1.0') return badHost('The request has no Host header.')
  if (host !== undefined && !isHost(host)) return badHost('The Host header is not a valid host.')
  return isTarget(url, host ?? 'localhost') ? undefined : badTarget()
}

/**
 * True if a request target is in origin form, or in absolute form with an HTTP URL (RFC 9112, 3.2). Rejects
 * backslashes, because URL parsers read them as slashes.
 */
function isTarget(target: string, host: string): boolean {
  if (/^[^?]*\\/.test(target)) return false
  const url = target.startsWith('/') ? `https://${host}${target}` : target
  return /^https?:\/\//.test(url) && URL.canParse(url)
}

const FIX_HTTP = 'Use an HTTP client library, and check the proxies between it and this server.'

function unreadableRequest(code: string | undefined): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow()
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new ApiError(400, 'The request is not valid HTTP/1.1.', FIX_HTTP)
  return new ApiError(
    431,
    `The URL and the headers exceed ${HEAD_MAX_BYTES} bytes in total.`,
    'Send a shorter URL, or fewer or shorter headers. GET /core/v1/limits lists all limits.',
  )
}

function brokenBody(code: string | undefined): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow()
  const message = 'The framing of the body does not match the request headers.'
  return new ApiError(400, message, FIX_HTTP)
}

function tooSlow(): ApiError {
  return new ApiError(408, 'The request did not arrive in time.', 'Send it again, without pauses.')
}

function badHost(message: string): ApiError {
  const fix = 'Send one Host header with the name and the port of this server.'
  return new ApiError(400, message, fix)
}

function badTarget(): ApiError {
  const fix =
    'Send a path that begins with a slash, and percent-encode characters that a URL cannot contain.'
  return new ApiError(400, 'The request target is not a valid path.', fix)
}

function unknownExpectation(): ApiError {
  const fix = 'Send no Expect header, or Expect: 100-continue.'
  return new ApiError(417, 'The Expect header has an unsupported value.', fix)
}

function notAProxy(): ApiError {
  return new ApiError(
    405,
    'This server is not a proxy and does not accept CONNECT.',
    'Send GET or POST requests to the paths of this server.',
    { headers: { allow: 'GET, POST' } },
  )
}
