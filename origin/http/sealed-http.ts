/**
 * The core API for the edge. The envelope contains a whole request for this origin's own app, so the same checks,
 * limits and stored responses apply as to a direct request. Only the client address is taken from the envelope.
 */
import type { Context } from 'hono'
import { MODE_PSK, SEALED_CONTENT_TYPE } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors.ts'
import { validate } from '../../shared/json-body.ts'
import { CORE_BODY_MAX_BYTES, SEALED_HEAD_MAX_BYTES, SEALED_PAD_MS } from '../../shared/limits.ts'
import { passedHeaders } from '../../shared/wire/passed-headers.ts'
import {
  frame,
  SEALED_HTTP_PATH,
  type SealedHttpAnswer,
  type SealedHttpRequest,
  sealedHttpRequestSchema,
  unframe,
} from '../../shared/wire/sealed-http.ts'
import { openRequest, type OpenedRequest } from '../channel/open-request.ts'
import { traceOf } from '../log.ts'
import type { Services } from '../services.ts'
import { readEnvelope } from './body/read-envelope.ts'
import type { Sender } from './client-address.ts'
import { toApiError } from './failure.ts'
import type { OriginApp, OriginEnv } from './operation.ts'
import { paddedBody } from './padded-body.ts'
import { refusal, requireFirst, requireFresh } from './sealed.ts'

const BOUNDS = { maxBytes: CORE_BODY_MAX_BYTES + SEALED_HEAD_MAX_BYTES, isOfEdge: true }

/** @param padMs interval of padding bytes while a request is being executed */
export function mountSealedHttp(
  app: OriginApp,
  services: Services,
  padMs: number = SEALED_PAD_MS,
): void {
  app.post(SEALED_HTTP_PATH, async (context) => {
    const { sealed } = await begin(context, app, services)
    const body = await paddedBody(sealed, padMs)
    return context.body(body, 200, { 'content-type': SEALED_CONTENT_TYPE })
  })
}

/** Separate, so that the received bytes can be garbage-collected before the response. */
async function begin(
  context: Context<OriginEnv>,
  app: OriginApp,
  services: Services,
): Promise<{ sealed: Promise<Uint8Array<ArrayBuffer>> }> {
  const bytes = await readEnvelope(context, BOUNDS, services)
  const { mode, plaintext, answer } = openRequest(
    services.channel.keys,
    'POST',
    SEALED_HTTP_PATH,
    bytes,
  )
  const given = { mode, plaintext, gone: context.req.raw.signal }
  const answered = answerTo(given, app, services)
  return { sealed: answered.then((text) => Uint8Array.from(answer(text))) }
}

type Given = Pick<OpenedRequest, 'mode' | 'plaintext'> & { gone: AbortSignal }

/** Never rejects: errors before the app is called become error responses inside the envelope. */
async function answerTo(given: Given, app: OriginApp, services: Services): Promise<Uint8Array> {
  try {
    const { head, body } = read(given)
    requireFresh(head, services.now())
    services.load.requireRoom()
    await requireFirst(head, services)
    const sender: Sender = { envelope: { clientAddress: head.client_address } }
    const request = requestOf(head, body, given.gone, services.settings.SVC_PUBLIC_URL)
    return await framed(await app.fetch(request, sender))
  } catch (error) {
    const failure = toApiError(error)
    if (failure.status === 500)
      services.log('sealed.failed', { route: SEALED_HTTP_PATH, cause: traceOf(error) })
    services.counters.refused(failure.status, failure.reason)
    return frame(new Uint8Array(), 0, refusal(failure))
  }
}

/** @throws {ApiError} 400, 403 or 422 for requests that the edge does not send */
function read({ mode, plaintext }: Given): { head: SealedHttpRequest; body: Buffer } {
  if (mode !== MODE_PSK)
    throw new ApiError(
      403,
      'Forwarded requests are accepted only from the edge.',
      'Send the request directly to this origin.',
    )
  const parts = unframe(plaintext)
  if (!parts || parts.head.length > SEALED_HEAD_MAX_BYTES) throw noRequest()
  if (parts.body.length > CORE_BODY_MAX_BYTES) throw noRequest()
  return { head: validate(sealedHttpRequestSchema, parsed(parts.head)), body: parts.body }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw noRequest()
  }
}

function noRequest(): ApiError {
  return new ApiError(
    400,
    'The sealed plaintext is not a request.',
    'Seal the body, the head as JSON, and the length of the head.',
  )
}

function requestOf(
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
  const init = { method, headers: own, signal: gone, body: once(body), duplex: 'half' as const }
  return new Request(url, init)
}

/** Does not copy the bytes, and releases them once they are read. */
function once(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let left: Uint8Array | undefined = bytes
  return new ReadableStream({
    pull(controller) {
      if (left && left.length > 0) controller.enqueue(left)
      left = undefined
      controller.close()
    },
  })
}

async function framed(response: Response): Promise<Uint8Array> {
  const head: SealedHttpAnswer = {
    state: 'answered',
    status: response.status,
    headers: passedHeaders(response.headers),
  }
  const body = new Uint8Array(await response.arrayBuffer())
  return frame(body, body.length, head)
}
