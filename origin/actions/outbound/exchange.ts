import type { Dispatcher } from 'undici'
import { OUTBOUND_RESPONSE_MAX_BYTES } from '../../../shared/limits.ts'
import { type Encodings, readEncodings } from './body-decoding.ts'
import {
  type OutboundTimeouts,
  DISCARD_BYTES,
  DISCARD_MS,
  ENCODED_MAX_BYTES,
  INFORMATIONAL_MAX,
  HEADER_FIELDS_MAX,
} from './bounds.ts'
import { toOutboundError } from './exchange-failure.ts'
import type { OriginConnections } from './origin-connections.ts'
import { abortedError, lateResponse, OutboundError } from './outbound-error.ts'
import { ResponseBody } from './response-body.ts'

export type ExchangeRequest = {
  path: string
  method: string
  headers: readonly [string, string][]
  body: Uint8Array | undefined
}

/** `encodings` lists the decoding steps for `body`. */
export type ExchangeResponse = {
  status: number
  statusText: string
  headers: [string, string][]
  encodings: Encodings
  body: Uint8Array
}

export type ExchangeOptions = {
  named: string
  times: OutboundTimeouts
  /** Returns true if the body is not needed, for example because the response is a redirect. */
  skipsBody(status: number, headers: readonly [string, string][]): boolean
  signal: AbortSignal
}

const STATUS_TEXT_MAX = 256

/**
 * Idempotent methods (RFC 9110, 9.2.2). Their requests may be retried if a reused connection turns out to be closed.
 */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** Error codes which mean that the server closed the connection. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * Sends a request and receives the response. A server may close a reused connection just as the request is sent. An
 * idempotent request is then retried once over a new connection.
 * @throws {OutboundError}
 */
export async function exchange(
  connections: OriginConnections,
  request: ExchangeRequest,
  options: ExchangeOptions,
): Promise<ExchangeResponse> {
  const first = await attempt(connections, request, options, { fresh: false })
  if (first !== 'closed before use') return first
  const second = await attempt(connections, request, options, { fresh: true })
  if (second === 'closed before use') throw new Error('a fresh connection was not used before')
  return second
}

function attempt(
  connections: OriginConnections,
  request: ExchangeRequest,
  options: ExchangeOptions,
  connection: { fresh: boolean },
): Promise<ExchangeResponse | 'closed before use'> {
  return new Promise((resolve, reject) => {
    if (options.signal.aborted) return reject(abortedError())
    const { client, used } = connections.take(connection)
    const free = () => connections.release(client)
    const again = () => resolve('closed before use')
    const mayRepeat = used && IDEMPOTENT.has(request.method)
    const handler = new Exchange(options, { resolve, reject, free, ...(mayRepeat && { again }) })
    client.dispatch(
      {
        path: request.path,
        method: request.method,
        headers: request.headers.flat(),
        body: request.body ?? null,
      },
      handler,
    )
  })
}

type ExchangeCallbacks = {
  resolve(answer: ExchangeResponse): void
  reject(error: OutboundError): void
  free(): void
  /**
   * Retries the request. Set only if the request may be retried; called if the connection was closed before any part of
   * a response arrived.
   */
  again?(): void
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #caller: ExchangeCallbacks
  #controller: Dispatcher.DispatchController | undefined
  #informational = 0
  #hasResponse = false
  #head: Omit<ExchangeResponse, 'body'> | undefined
  #body: ResponseBody | undefined
  /** True once the response has been returned or the request has failed. Later data is discarded. */
  #settled = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: ExchangeOptions, caller: ExchangeCallbacks) {
    this.#options = options
    this.#caller = caller
    options.signal.addEventListener('abort', this.#aborted, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#settled) return controller.abort(this.#discardedError())
    const { named, times } = this.#options
    this.#wait(times.answer, lateResponse(named, times.answer))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusMessage = '',
  ): void {
    const { named, times } = this.#options
    this.#hasResponse = true
    if (status < 200) {
      if (++this.#informational > INFORMATIONAL_MAX)
        this.#fail(new OutboundError(`${named} sends responses that are not valid HTTP`))
      return
    }
    try {
      const headers = readResponseHeaders(controller.rawHeaders, named)
      const statusText = statusMessage.slice(0, STATUS_TEXT_MAX)
      if (this.#options.skipsBody(status, headers)) {
        this.#resolve({ status, statusText, headers, encodings: [], body: new Uint8Array(0) })
        this.#discard()
        return
      }
      const encodings = readEncodings(headers, named)
      const max = encodings.length === 0 ? OUTBOUND_RESPONSE_MAX_BYTES : ENCODED_MAX_BYTES
      this.#head = { status, statusText, headers, encodings }
      this.#body = new ResponseBody(max, named)
      this.#wait(
        times.idle,
        `${named} stalled for ${times.idle / 1000} s while sending its response`,
      )
    } catch (error) {
      this.#fail(toOutboundError(error, named))
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    try {
      this.#body?.add(chunk)
      if (!this.#settled) this.#timer?.refresh()
    } catch (error) {
      this.#fail(toOutboundError(error, this.#options.named))
    }
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    this.#caller.free()
    if (this.#head !== undefined && this.#body !== undefined)
      this.#resolve({ ...this.#head, body: this.#body.bytes() })
  }

  onResponseError(_controller: unknown, error: Error): void {
    clearTimeout(this.#timer)
    this.#caller.free()
    const isClosed = 'code' in error && CLOSED.has(String(error.code))
    if (isClosed && !this.#hasResponse && !this.#settled && this.#caller.again) {
      this.#settle()
      return this.#caller.again()
    }
    this.#fail(toOutboundError(error, this.#options.named))
  }

  /** Reads the rest of the response for a limited time, so that the connection can be reused. */
  #discard(): void {
    this.#body = new ResponseBody(DISCARD_BYTES, this.#options.named)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#controller?.abort(this.#discardedError()), DISCARD_MS)
  }

  readonly #aborted = (): void => {
    this.#fail(abortedError())
  }

  #wait(ms: number, message: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fail(new OutboundError(message)), ms)
  }

  #resolve(answer: ExchangeResponse): void {
    if (this.#settled) return
    this.#settle()
    this.#caller.resolve(answer)
  }

  #fail(error: OutboundError): void {
    if (!this.#settled) {
      this.#settle()
      this.#caller.reject(error)
    }
    clearTimeout(this.#timer)
    this.#controller?.abort(error)
  }

  #settle(): void {
    this.#settled = true
    this.#options.signal.removeEventListener('abort', this.#aborted)
  }

  #discardedError(): OutboundError {
    return new OutboundError('the rest of the response is not needed')
  }
}

/**
 * Reads header fields in the order received. Names are in lower case, and values have one character per byte (Fetch
 * standard, isomorphic decode).
 * @param raw alternating names and values, as provided by undici
 * @throws {OutboundError} if there are too many fields
 */
function readResponseHeaders(raw: unknown, named: string): [string, string][] {
  const parts = Array.isArray(raw) ? (raw as (Uint8Array | string)[]) : []
  if (parts.length / 2 > HEADER_FIELDS_MAX)
    throw new OutboundError(`${named} sent more than ${HEADER_FIELDS_MAX} headers`)
  const text = (part: Uint8Array | string | undefined) => Buffer.from(part ?? '').toString('latin1')
  const fields: [string, string][] = []
  for (let i = 0; i + 1 < parts.length; i += 2)
    fields.push([text(parts[i]).toLowerCase(), text(parts[i + 1])])
  return fields
}
