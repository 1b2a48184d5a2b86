/**
 * `POST /sealed/execute` at the edge: forwards a request that a client sealed end to end, to a channel key that the
 * client verified. The edge cannot read the request or the response.
 */
import type { Context } from 'hono'
import { cors } from 'hono/cors'
import { clientNetwork } from '../../../shared/client-network.ts'
import {
  MODE_BASE,
  parseSealedRequest,
  REQUEST_OVERHEAD_BYTES,
  SEALED_CONTENT_TYPE,
} from '../../../shared/envelope/format.ts'
import { ApiError } from '../../../shared/errors.ts'
import { CORE_BODY_MAX_BYTES, EXECUTION_WALL_MAX_MS } from '../../../shared/limits.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import type { App, AppEnv } from '../app-env.ts'
import { clientAddress } from '../client-address.ts'
import type { BodyShare } from './large-bodies.ts'
import { passPlain } from './plain.ts'
import { readBodyWithRoom } from './request-body.ts'
import { withShare } from './with-share.ts'

/** The longest execution that an operator may allow, plus the round trip. */
const ANSWER_WITHIN_MS = EXECUTION_WALL_MAX_MS + 30_000

const MAX_BYTES = CORE_BODY_MAX_BYTES + REQUEST_OVERHEAD_BYTES

export function registerSealedExecute(app: App): void {
  app.use(
    SEALED_EXECUTE_PATH,
    cors({ origin: '*', allowMethods: ['POST'], allowHeaders: ['Content-Type'] }),
  )
  app.post(SEALED_EXECUTE_PATH, (c) => withShare(c, passOn))
}

/** Order of checks: 415, 429, 413, 400, 403, then the origin. */
async function passOn(c: Context<AppEnv>, share: BodyShare): Promise<Response> {
  const request = c.req.raw
  const { settings, requireRate } = c.var.services
  requireSealedType(request.headers.get('content-type'))
  await requireRate('core_address', clientNetwork(clientAddress(request, settings)))
  const limits = { maxBytes: MAX_BYTES, roomBytes: 0, share }
  const { room, bodyBytes } = await readBodyWithRoom(request, limits)
  const body = room.subarray(0, bodyBytes)
  requireBaseMode(body)
  // Forwards none of the client's headers: the origin needs only the envelope.
  const bare = new Request(request.url, {
    method: 'POST',
    headers: { 'content-type': SEALED_CONTENT_TYPE },
  })
  const target = new URL(SEALED_EXECUTE_PATH, settings.ORIGIN_URL)
  return passPlain(bare, target, { body, withinMs: ANSWER_WITHIN_MS })
}

function requireSealedType(type: string | null): void {
  if (type?.split(';')[0]?.trim().toLowerCase() === SEALED_CONTENT_TYPE) return
  throw new ApiError(
    415,
    'The body’s content type is not that of a sealed request.',
    `Seal the request, and send it with the header Content-Type: ${SEALED_CONTENT_TYPE}.`,
  )
}

/**
 * Rejects PSK mode, which the edge itself uses for runs and client addresses. This prevents replaying a recorded
 * request of the edge in its name.
 */
function requireBaseMode(body: Uint8Array): void {
  const mode = parseSealedRequest(body)?.mode
  if (mode === undefined)
    throw new ApiError(
      400,
      'The body is no sealed request of version 1.',
      'Seal the request as docs/architecture.md says (The sealed channel).',
    )
  if (mode === MODE_BASE) return
  throw new ApiError(
    403,
    'A client seals in base mode; the other is the edge’s own.',
    'Seal it in base mode (mode byte 0).',
  )
}
