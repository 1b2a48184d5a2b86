/**
 * Serves the core API to the edge. The envelope contains a whole request for this origin's own app, so the same checks,
 * limits and stored responses apply as to a direct request. Only the client address is taken from the envelope.
 */
import type { Context } from 'hono'
import { MODE_PSK, SEALED_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { CORE_BODY_MAX_BYTES, SEALED_HEAD_MAX_BYTES, SEALED_PAD_MS } from '../../shared/limits.ts'
import { hasApiKeyFormat } from '../../shared/wire/api-key.ts'
import { forwardedHeaders } from '../../shared/wire/forwarded-headers.ts'
import { WALLET_AUTH_HEADER } from '../../shared/wire/header-names.ts'
import {
  encodeFrame,
  SEALED_HTTP_PATH,
  type SealedHttpResponse,
  type SealedHttpRequest,
  sealedHttpRequestSchema,
  PAD_BYTE,
} from '../../shared/wire/sealed-http.ts'
import { openRequest, type OpenedRequest } from '../channel/open-request.ts'
import type { OriginServices } from '../services.ts'
import type { RequestBindings } from './client-address.ts'
import type { OriginApp, OriginEnv } from './operation.ts'
import {
  readEnvelope,
  readFrame,
  sealedRefusal,
  requireNotReplayed,
  requireFresh,
} from './sealed.ts'
import { undefinedAfter } from '../timeout.ts'

const ENVELOPE_LIMITS = { maxBytes: CORE_BODY_MAX_BYTES + SEALED_HEAD_MAX_BYTES, isOfEdge: true }

/** @param padMs interval of padding bytes while a request is being executed, in milliseconds */
export function mountSealedHttp(
  app: OriginApp,
  services: OriginServices,
  padMs: number = SEALED_PAD_MS,
): void {
  app.post(SEALED_HTTP_PATH, async (context) => {
    const { sealed } = await openAndRespond(context, app, services)
    const body = await paddedBody(sealed, padMs)
    return context.body(body, 200, { 'content-type': SEALED_CONTENT_TYPE })
  })
}

/**
 * Opens the envelope and responds. A separate function, so that the received bytes can be garbage-collected before the
 * response.
 */
async function openAndRespond(
  context: Context<OriginEnv>,
  app: OriginApp,
  services: OriginServices,
): Promise<{ sealed: Promise<Uint8Array<ArrayBuffer>> }> {
  const bytes = await readEnvelope(context, ENVELOPE_LIMITS, services)
  const {
    mode,
    plaintext,
    sealResponse: answer,
  } = openRequest(services.channel.keys, 'POST', SEALED_HTTP_PATH, bytes)
  const given = { mode, plaintext, gone: context.req.raw.signal }
  const answered = respondTo(given, app, services)
  return { sealed: answered.then((text) => Uint8Array.from(answer(text))) }
}

type ForwardedRequest = Pick<OpenedRequest, 'mode' | 'plaintext'> & { gone: AbortSignal }

/** Never rejects: an error before the app is called becomes an error response inside the envelope. */
async function respondTo(
  given: ForwardedRequest,
  app: OriginApp,
  services: OriginServices,
): Promise<Uint8Array> {
  try {
    const { head, body } = readForwardedRequest(given)
    requireFresh(head, services.now())
    services.load.requireRoom()
    await requireNotReplayed(head, services)
    const sender: RequestBindings = {
      envelope: { clientAddress: head.client_address, trace: head.trace },
    }
    const credited = { ...head, headers: withStoredKey(head, services) }
    const request = buildRequest(credited, body, given.gone, services.settings.SVC_PUBLIC_URL)
    return await frameResponse(await app.fetch(request, sender))
  } catch (error) {
    return encodeFrame(new Uint8Array(), 0, sealedRefusal(error, SEALED_HTTP_PATH, services))
  }
}

/** @throws {ApiError} 400, 403 or 422 for requests that the edge does not send */
function readForwardedRequest({ mode, plaintext }: ForwardedRequest): {
  head: SealedHttpRequest
  body: Buffer
} {
  if (mode !== MODE_PSK)
    throw new ApiError(
      403,
      'Forwarded requests are accepted only from the edge.',
      'Send the request directly to this origin.',
    )
  const frame = readFrame(plaintext, sealedHttpRequestSchema, notARequest)
  if (frame.body.length > CORE_BODY_MAX_BYTES) throw notARequest()
  return frame
}

/**
 * Adds the stored usage key that the request names to its headers.
 * @throws {EnvelopeError} if the key was sealed for another account link or owner
 * @throws {ApiError} 400 for a second credential, 403 for a stored account key
 */
function withStoredKey(
  { headers, stored_key: stored }: SealedHttpRequest,
  { channel, mirror }: Pick<OriginServices, 'channel' | 'mirror'>,
): SealedHttpRequest['headers'] {
  if (stored === undefined) return headers
  if (headers.some(([name]) => CREDENTIAL_HEADERS.has(name)))
    throw new ApiError(
      400,
      'The request has two credentials: a stored key and a header.',
      'Send only one of them.',
    )
  const key = channel.storedKeys.open(stored)
  const principal = mirror.current().principal(apiKeyHash(key))
  // Links are for usage keys. The edge checks this before it stores a key, and must not be able to skip the check.
  if (!hasApiKeyFormat(key) || (principal && !principal.usageKey))
    throw new ApiError(
      403,
      'The stored key is not a usage key.',
      'Link the account again, with a usage key.',
    )
  return [...headers, ['x-api-key', key]]
}

const CREDENTIAL_HEADERS = new Set(['authorization', 'x-api-key', WALLET_AUTH_HEADER])

function notARequest(): ApiError {
  return new ApiError(
    400,
    'The sealed plaintext is not a request.',
    'Seal the body, the head as JSON, and the length of the head.',
  )
}

function buildRequest(
  { method, path, query, headers }: SealedHttpRequest,
  body: Buffer,
  gone: AbortSignal,
  publicUrl: string,
): Request {
  const url = `${new URL(publicUrl).origin}${path}${query}`
  const own = new Headers(headers)
  if (method === 'GET' || method === 'HEAD')
    return new Request(url, { method, headers: own, signal: gone })
  own.set('content-length', String(body.length))
  const init = {
    method,
    headers: own,
    signal: gone,
    body: singleChunkStream(body),
    duplex: 'half' as const,
  }
  return new Request(url, init)
}

/** Returns a stream of a single chunk. Does not copy the bytes, and releases them once they are read. */
function singleChunkStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let left: Uint8Array | undefined = bytes
  return new ReadableStream({
    pull(controller) {
      if (left && left.length > 0) controller.enqueue(left)
      left = undefined
      controller.close()
    },
  })
}

async function frameResponse(response: Response): Promise<Uint8Array> {
  const head: SealedHttpResponse = {
    state: 'answered',
    status: response.status,
    headers: forwardedHeaders(response.headers),
  }
  const body = new Uint8Array(await response.arrayBuffer())
  return encodeFrame(body, body.length, head)
}

/**
 * Returns the bytes if they are ready in time. Otherwise returns a stream that starts with padding bytes, so that
 * proxies do not consider the connection dead.
 * @param padMs time before the first padding byte and between padding bytes, in milliseconds
 */
async function paddedBody(
  bytes: Promise<Uint8Array<ArrayBuffer>>,
  padMs: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  return (await undefinedAfter(padMs, bytes)) ?? paddedStream(bytes, padMs)
}

function paddedStream(
  sealed: Promise<Uint8Array<ArrayBuffer>>,
  padMs: number,
): ReadableStream<Uint8Array> {
  let timer: NodeJS.Timeout | undefined
  let isOpen = true
  const pad = Uint8Array.of(PAD_BYTE)
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(pad)
      timer = setInterval(() => controller.enqueue(pad), padMs)
      const finish = (end: () => void) => {
        clearInterval(timer)
        if (isOpen) end()
      }
      sealed.then(
        (bytes) =>
          finish(() => {
            controller.enqueue(bytes)
            controller.close()
          }),
        (error: unknown) => finish(() => controller.error(error)),
      )
    },
    cancel: () => {
      isOpen = false
      clearInterval(timer)
    },
  })
}
