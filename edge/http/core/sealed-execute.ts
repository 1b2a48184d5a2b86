/**
 * Forwards requests that clients have sealed with the origin's verified channel key. The edge cannot read these
 * requests or their responses.
 */
import type { Context } from 'hono'
import { cors } from 'hono/cors'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { mediaTypeOf } from '../../../shared/network/media-type.ts'
import {
  MODE_BASE,
  parseSealedRequest,
  REQUEST_OVERHEAD_BYTES,
  SEALED_CONTENT_TYPE,
} from '../../../shared/envelope/format.ts'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { CORE_BODY_MAX_BYTES, EXECUTION_WALL_MAX_MS } from '../../../shared/limits.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import type { App, AppEnv } from '../app-env.ts'
import { clientAddress } from '../client-address.ts'
import type { MemoryShare } from './body-memory.ts'
import { forwardUnsealed } from './forward-unsealed.ts'
import { readBodyWithRoom } from './request-body.ts'
import { withMemoryShare } from './with-memory-share.ts'

/** Response timeout: the longest execution that an operator can allow, plus time for the round trip. */
const RESPONSE_TIMEOUT_MS = EXECUTION_WALL_MAX_MS + 30_000

const MAX_BYTES = CORE_BODY_MAX_BYTES + REQUEST_OVERHEAD_BYTES

export function registerSealedExecute(app: App): void {
  app.use(
    SEALED_EXECUTE_PATH,
    cors({ origin: '*', allowMethods: ['POST'], allowHeaders: ['Content-Type'] }),
  )
  app.post(SEALED_EXECUTE_PATH, (c) => withMemoryShare(c, forward))
}

/** Checks a request in the order of the status codes 415, 429, 413, 400 and 403, and then forwards it. */
async function forward(c: Context<AppEnv>, share: MemoryShare): Promise<Response> {
  const request = c.req.raw
  const { settings, requireRate } = c.var.services
  requireSealedType(request.headers.get('content-type'))
  await requireRate('core_address', clientNetwork(clientAddress(request, settings)))
  const limits = { maxBytes: MAX_BYTES, roomBytes: 0, share }
  const { room, bodyBytes } = await readBodyWithRoom(request, limits)
  const body = room.subarray(0, bodyBytes)
  requireBaseMode(body)
  // The other headers of the client are omitted. The origin checks the web origin against the key in the envelope.
  const webOrigin = request.headers.get('origin')
  const bare = new Request(request.url, {
    method: 'POST',
    headers: {
      'content-type': SEALED_CONTENT_TYPE,
      ...(webOrigin !== null && { origin: webOrigin }),
    },
  })
  const target = new URL(SEALED_EXECUTE_PATH, settings.ORIGIN_URL)
  return forwardUnsealed(bare, target, { body, withinMs: RESPONSE_TIMEOUT_MS })
}

function requireSealedType(type: string | null): void {
  if (mediaTypeOf(type) === SEALED_CONTENT_TYPE) return
  throw new ApiError(
    415,
    'The content type is not that of a sealed request.',
    `Seal the request, and send it with the header Content-Type: ${SEALED_CONTENT_TYPE}.`,
  )
}

/**
 * Rejects envelopes in HPKE's PSK mode, which only the edge itself uses, for runs and client addresses. Otherwise, an
 * attacker could record a request of the edge and replay it through this endpoint.
 */
function requireBaseMode(body: Uint8Array): void {
  const mode = parseSealedRequest(body)?.mode
  if (mode === undefined)
    throw new ApiError(
      400,
      'The body is not a sealed request of version 1.',
      'Seal the request as described in docs/architecture.md (The sealed channel).',
    )
  if (mode === MODE_BASE) return
  throw new ApiError(
    403,
    'Clients must use base mode; PSK mode is reserved for the edge.',
    'Seal the request in base mode (mode byte 0).',
  )
}
