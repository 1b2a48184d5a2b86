/**
 * Implements operations of the sealed channel. If an envelope cannot be opened, the error is sent in plaintext, because
 * there is no key to encrypt it with. All later responses, including errors, are sealed and have status 200.
 */
import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import type { z } from 'zod'
import {
  HEADER_BYTES,
  MODE_PSK,
  REQUEST_OVERHEAD_BYTES,
  SEALED_CONTENT_TYPE,
} from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { validate } from '../../shared/json/json-body.ts'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import { decodeFrame } from '../../shared/wire/sealed-http.ts'
import {
  CORE_BODY_MAX_BYTES,
  OPERATION_BODY_MAX_BYTES,
  SEALED_CLOCK_SKEW_MS,
  SEALED_HEAD_MAX_BYTES,
  SEALED_REQUEST_LIFETIME_MS,
} from '../../shared/limits.ts'
import type { Span } from '../../shared/telemetry/tracer.ts'
import type { SealedRefusal } from '../../shared/wire/sealed.ts'
import { withoutNullMembers } from '../../shared/json/without-null-members.ts'
import { checkHeader, openRequest, type OpenedRequest } from '../channel/open-request.ts'
import { errorTrace } from '../log.ts'
import type { OriginServices } from '../services.ts'
import type { RequestSource } from '../usage-keys/request-source.ts'
import { readRequestBody } from './body/read-body.ts'
import { resolveClientAddress } from './client-address.ts'
import { EDGE_HOLDER } from './connection/connection-limit.ts'
import { trustConnection } from './connection/protect-connections.ts'
import { apiErrorFrom } from './failure.ts'
import { readMembers, type MemberSelection } from './json/members.ts'
import { NestedTooDeeplyError } from './json/scan.ts'
import type { OriginApp } from './operation.ts'

/** `requestId` is the `X-Request-Id` of the response. */
export type SealedSource = RequestSource & { requestId: string; span?: Span | undefined }

export type SealedOperation<Body> = {
  path: string
  schema: z.ZodType<Body>
  /** Properties to read from requests with source. If absent, the maximum body size is `OPERATION_BODY_MAX_BYTES`. */
  members?: MemberSelection
  /** Rejects base mode, so that only the edge can call the operation. */
  isOfEdge?: true
  /** `heldBytes` is the memory that the request occupies until the response is sent. */
  handle(
    body: Body,
    mode: OpenedRequest['mode'],
    services: OriginServices,
    heldBytes: number,
    source: SealedSource,
  ): Promise<object>
}

export function mountSealed<Body extends Freshness>(
  app: OriginApp,
  services: OriginServices,
  operation: SealedOperation<Body>,
): void {
  const bounds = { maxBytes: CORE_BODY_MAX_BYTES, isOfEdge: operation.isOfEdge === true }
  app.post(operation.path, async (context) => {
    const bytes = await readEnvelope(context, bounds, services)
    const opened = openRequest(services.channel.keys, 'POST', operation.path, bytes)
    const source = {
      origin: context.req.header('origin') ?? null,
      address: resolveClientAddress(context),
      span: context.get('span'),
      requestId: context.get('requestId'),
    }
    const answer = await respondTo(opened, services, operation, source)
    const sealed = opened.sealResponse(Buffer.from(answer))
    return context.body(Uint8Array.from(sealed), 200, { 'content-type': SEALED_CONTENT_TYPE })
  })
}

type EnvelopeLimits = {
  /** Maximum size of the decrypted request, in bytes. */
  maxBytes: number
  /**
   * True if only the edge may send envelopes to this endpoint. An envelope from any other sender is then limited to the
   * size of an ordinary request, which is enough to return a proper error.
   */
  isOfEdge?: boolean
}

/**
 * Reads an envelope. Checks the version, mode, key ID and PSK ID before reading the rest.
 * @throws {EnvelopeError} and any error of `readRequestBody`
 */
export function readEnvelope(
  context: Context,
  { maxBytes, isOfEdge = false }: EnvelopeLimits,
  { channel, bodyBudgets }: Pick<OriginServices, 'channel' | 'bodyBudgets'>,
): Promise<Uint8Array> {
  const anyone = bodyBudgets.forClient(resolveClientAddress(context))
  const judge = (opening: Uint8Array) => {
    if (checkHeader(channel.keys, opening).mode === MODE_PSK) {
      trustConnection(context, EDGE_HOLDER)
      return { maxBytes: maxBytes + REQUEST_OVERHEAD_BYTES, holder: bodyBudgets.forEdge() }
    }
    const most = isOfEdge ? Math.min(maxBytes, OPERATION_BODY_MAX_BYTES) : maxBytes
    return { maxBytes: most + REQUEST_OVERHEAD_BYTES, holder: anyone }
  }
  return readRequestBody(context, {
    maxBytes: maxBytes + REQUEST_OVERHEAD_BYTES,
    holder: anyone,
    opening: { bytes: HEADER_BYTES, judge },
  })
}

async function respondTo<Body extends Freshness>(
  opened: OpenedRequest,
  services: OriginServices,
  operation: SealedOperation<Body>,
  source: SealedSource,
): Promise<string> {
  try {
    const sent = withoutNullMembers(parsePlaintext(opened.plaintext, operation.members))
    const body = validate(operation.schema, sent)
    requireFresh(body, services.now())
    // The received and the decrypted bytes are both in memory.
    const heldBytes = 2 * opened.plaintext.length
    // Serialized inside the `try`, so that a serialization failure is also reported in a sealed response.
    return JSON.stringify(await operation.handle(body, opened.mode, services, heldBytes, source))
  } catch (error) {
    return JSON.stringify(sealedRefusal(error, operation.path, services))
  }
}

/** Converts an error to the form used inside a sealed response. Also counts the rejection, and logs internal errors. */
export function sealedRefusal(
  error: unknown,
  route: string,
  { counters, log }: OriginServices,
): SealedRefusal {
  const failure = apiErrorFrom(error)
  if (failure.status === 500) log('sealed.failed', { route, cause: errorTrace(error) })
  counters.countRejection(failure.status, failure.reason)
  const retryAfter = failure.headers['retry-after']
  return {
    state: 'refused',
    status: failure.status,
    ...failure.names,
    message: failure.message,
    fix: failure.fix,
    ...(retryAfter === undefined ? {} : { retry_after_s: Number(retryAfter) }),
  }
}

function parsePlaintext(plaintext: Buffer, members: MemberSelection | undefined): unknown {
  const isReadable = members !== undefined || plaintext.length <= OPERATION_BODY_MAX_BYTES
  if (!isReadable)
    throw new ApiError(
      400,
      `The sealed plaintext has ${plaintext.length} bytes; the limit is ${OPERATION_BODY_MAX_BYTES}.`,
      'Request fewer runs at once.',
    )
  try {
    if (members === undefined) return JSON.parse(plaintext.toString('utf8'))
    if (isUtf8(plaintext)) return readMembers(plaintext, members)
  } catch (error) {
    if (error instanceof NestedTooDeeplyError) throw error
  }
  throw new ApiError(400, 'The sealed plaintext is not JSON.', 'Seal the request as JSON.')
}

type Freshness = { request_id: string; issued_at: number; expires_at: number }

/** @throws {ApiError} 400 if the request has expired, is dated too far in the future, or has too long a lifetime */
export function requireFresh({ issued_at, expires_at }: Freshness, now: number): void {
  const fresh =
    issued_at <= now + SEALED_CLOCK_SKEW_MS &&
    expires_at > now &&
    expires_at - issued_at <= SEALED_REQUEST_LIFETIME_MS
  if (fresh) return
  throw new ApiError(
    400,
    `The sealed request is expired or not yet valid: issued_at ${issued_at}, expires_at ${expires_at}, now ${now}.`,
    `Check your clock, and seal the request again with a lifetime of at most ${SEALED_REQUEST_LIFETIME_MS} ms.`,
    { reason: 'request_not_fresh' },
  )
}

/** @throws {ApiError} 409 if the request was received before */
export async function requireNotReplayed(
  { request_id, expires_at }: Freshness,
  { claims }: OriginServices,
): Promise<void> {
  if (await claims.claimRequest(request_id, expires_at)) return
  throw new ApiError(
    409,
    'This sealed request was already received.',
    'Seal the request again with a new request_id.',
    { reason: 'request_replayed' },
  )
}

/**
 * Reads a frame whose head is JSON.
 * @param malformed the error to throw for anything else
 * @throws {ApiError} also 400 or 422 if the head does not match the schema
 */
export function readFrame<Head>(
  plaintext: Buffer,
  schema: z.ZodType<Head>,
  malformed: () => ApiError,
): { head: Head; body: Buffer } {
  const frame = decodeFrame(plaintext)
  if (!frame || frame.head.length > SEALED_HEAD_MAX_BYTES) throw malformed()
  const head = tryParseJson(frame.head)
  if (head === undefined) throw malformed()
  return { head: validate(schema, head), body: frame.body }
}
