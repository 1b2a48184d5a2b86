/**
 * Forwards core API requests to the origin (docs/decisions/0022), for clients that prefer the nearest location and
 * accept that TLS terminates there. Requests that contain secrets are sealed for the origin. Public reads and the
 * payment processor's signed webhooks are not sealed. Responses are forwarded unchanged.
 */
import type { Context } from 'hono'
import { ATTESTATION_PATH, EVIDENCE_BUNDLE_PATH } from '../../../shared/attestation/evidence.ts'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { PROCESSOR_EVENT_MAX_BYTES, SEALED_HEAD_MAX_BYTES } from '../../../shared/limits.ts'
import {
  ACTION_WALLET_PATH,
  coreBodyMaxBytes,
  isProxiedPath,
  PROCESSOR_WEBHOOK_PATH,
} from '../../../shared/wire/core-routes.ts'
import { forwardedHeaders } from '../../../shared/wire/forwarded-headers.ts'
import { formatTraceparent } from '../../../shared/telemetry/trace-context.ts'
import { FORWARDED_METHODS } from '../../../shared/wire/sealed-http.ts'
import { requestContext } from '../../telemetry/request-trace.ts'
import { requireSealingKeys } from '../../trust/sealed-call.ts'
import { forwardSealed } from '../../trust/sealed-http.ts'
import type { App, AppEnv } from '../app-env.ts'
import { clientAddress } from '../client-address.ts'
import { methodNotAllowed, unmatchedRoute } from '../unmatched-route.ts'
import { fromByteString, toByteString } from './byte-string.ts'
import { hasCredential, keyOfRequest } from './credentials.ts'
import type { MemoryShare } from './body-memory.ts'
import { forwardUnsealed } from './forward-unsealed.ts'
import { readBodyWithRoom } from './request-body.ts'
import { withMemoryShare } from './with-memory-share.ts'

const PATHS = [
  '/core/v1/*',
  '/get_node_chain_config',
  '/attestation',
  '/attestation/bundle',
  '/info',
  '/evidences',
  '/evidences/*',
]

export function registerCoreProxy(app: App): void {
  for (const path of PATHS) app.all(path, (c) => withMemoryShare(c, forward))
}

/** Checks a request in the order of the status codes 404, 401, 429 and 413, and then forwards it. */
async function forward(c: Context<AppEnv>, share: MemoryShare): Promise<Response> {
  const request = c.req.raw
  const { settings, now, requireRate } = c.var.services
  const { pathname: path, search: query } = new URL(request.url)
  if (path === ACTION_WALLET_PATH) throw onlyServedByOrigin(settings.ORIGIN_URL)
  if (!isProxiedPath(path)) throw unmatchedRoute(request.method, [])
  const method = FORWARDED_METHODS.find((known) => known === request.method)
  if (!method) throw methodNotAllowed(request.method, FORWARDED_METHODS, 'Use GET or POST.')
  const key = keyOfRequest(request, path)
  const address = clientAddress(request, settings)
  await Promise.all([
    requireRate(
      isProcessorEvent(request, path) ? 'processor_address' : 'core_address',
      clientNetwork(address),
    ),
    key !== undefined && requireRate('core_key', key),
  ])

  if (canSendUnsealed(request, path, query)) {
    // Forwards evidence even from an unverified origin, because clients verify the evidence themselves.
    if (path.startsWith('/core/') || path === '/get_node_chain_config')
      await requireSealingKeys(c.env, now(), false)
    const target = targetOf(settings.ORIGIN_URL, path, query)
    return forwardUnsealed(request, target, { body: await bodyOf(request, share) })
  }
  const headers = forwardedHeaders(request.headers).map(([name, value]): [string, string] => [
    name,
    toByteString(value),
  ])
  requireHeadSize(JSON.stringify([path, query, headers]).length)
  const maxBytes = coreBodyMaxBytes(path)
  const body =
    method === 'POST'
      ? await readBodyWithRoom(request, { maxBytes, roomBytes: HEAD_ROOM_BYTES, share })
      : { room: new Uint8Array(HEAD_ROOM_BYTES), bodyBytes: 0 }
  const context = requestContext(request, c.env)
  const head = {
    method,
    path,
    query,
    headers,
    client_address: address,
    ...(context === undefined ? {} : { trace: formatTraceparent(context) }),
  }
  const {
    status,
    headers: answered,
    body: bytes,
  } = await forwardSealed(c.env, now, { ...head, ...body })
  const fields = answered.map(([name, value]): [string, string] => [name, fromByteString(value)])
  return new Response(NO_BODY.has(status) ? null : bytes, { status, headers: new Headers(fields) })
}

/** Space reserved for the request's head. Larger heads are rare, and cost one additional copy of the body. */
export const HEAD_ROOM_BYTES = 4 * 1024

/** Space reserved for the parts of the head other than the path, the query and the headers. */
const HEAD_REST_BYTES = 512

/** Statuses whose responses have no body (Fetch standard, null body status). */
export const NO_BODY = new Set([204, 205, 304])

const QUOTE_PATHS = new Set([ATTESTATION_PATH, EVIDENCE_BUNDLE_PATH])

function canSendUnsealed(request: Request, path: string, query: string): boolean {
  if (hasCredential(request.headers)) return false
  // The origin limits quotes with a nonce per address. Sealing attributes the request to the client's address.
  // Otherwise, any client could exhaust the edge's own quota, which the edge needs to verify the origin.
  if (QUOTE_PATHS.has(path) && query !== '') return false
  if (request.method === 'POST') return isProcessorEvent(request, path)
  return ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
}

function isProcessorEvent(request: Request, path: string): boolean {
  return request.method === 'POST' && path === PROCESSOR_WEBHOOK_PATH
}

/** The body of a payment processor's webhook is returned as raw bytes, because the signature covers them. */
async function bodyOf(
  request: Request,
  share: MemoryShare,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.method !== 'POST') return undefined
  const limits = { maxBytes: PROCESSOR_EVENT_MAX_BYTES, roomBytes: 0, share }
  const { room, bodyBytes } = await readBodyWithRoom(request, limits)
  return room.subarray(0, bodyBytes)
}

/** Sets the path directly instead of resolving it, because some paths would be parsed as URLs of another host. */
function targetOf(originUrl: string, path: string, query: string): URL {
  const target = new URL(originUrl)
  target.pathname = path
  target.search = query
  return target
}

export function requireHeadSize(characters: number): void {
  if (characters <= SEALED_HEAD_MAX_BYTES - HEAD_REST_BYTES) return
  throw new ApiError(
    413,
    'The path, query and headers of the request are too large.',
    `Keep them under ${SEALED_HEAD_MAX_BYTES} bytes in total.`,
  )
}

function onlyServedByOrigin(originUrl: string): ApiError {
  return new ApiError(
    404,
    'The edge does not return keys of actions, because an intermediary could substitute another key.',
    `Ask the origin directly: GET ${new URL(ACTION_WALLET_PATH, originUrl).href}?action_ipfs_cid=…`,
  )
}
