import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import { type Env, settingsOf } from '../env.ts'
import type { HandshakeReply } from '../triggers/handshake-reply.ts'
import { getHandshake, optionsHandshake } from '../triggers/handshakes.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import type { App, AppEnv } from './app-env.ts'
import { traceHeaders } from './trace-headers.ts'

/** Value of the `Allow` header. Omits GET, which is allowed only for handshakes. */
const ALLOW = 'HEAD, OPTIONS, POST'

/** Registers the webhook's methods except POST, which `handleWebhook` handles before the router. */
export function registerWebhook(app: App): void {
  app.on(['GET', 'OPTIONS'], '/webhook/:id', answerHandshake)
  app.all('/webhook/:id', methodNotAllowed)
}

/**
 * Does not start a run or store anything.
 * @throws {ApiError} 404 for an unknown webhook; 405 if the request is not a handshake
 */
async function answerHandshake(c: Context<AppEnv>): Promise<Response> {
  const request = c.req.raw
  const asked = { query: new URL(request.url).searchParams, headers: request.headers }
  const { sender, reply: sourceReply } = await webhookOf(c.env, c.req.param('id')!, asked.query)
  const trace = traceHeaders(request)
  switch (request.method) {
    case 'HEAD':
      return new Response(null, { headers: trace })
    case 'OPTIONS': {
      const granted = optionsHandshake(request.headers)
      return new Response(null, { headers: { ...trace, ...granted, allow: ALLOW } })
    }
  }
  const reply = sourceReply ?? getHandshake(asked, sender ?? undefined)
  if (!reply) return methodNotAllowed(c)
  return handshakeResponse(reply, trace)
}

export function handshakeResponse(reply: HandshakeReply, trace: Record<string, string>): Response {
  return new Response(reply.body, { headers: { ...trace, ...reply.headers } })
}

/** @throws {ApiError} 404 if the webhook does not exist */
async function webhookOf(env: Env, id: string, query: URLSearchParams) {
  const known = await isTriggerId(settingsOf(env).ID_MAC_KEY, id)
  const crcToken = query.get('crc_token') ?? undefined
  const webhook = known && (await env.TRIGGER_QUEUE.getByName(id).handshake(crcToken))
  if (!webhook) throw unknownWebhook()
  return webhook
}

function methodNotAllowed(c: Context<AppEnv>): never {
  throw new ApiError(
    405,
    `${c.req.method} is allowed on a webhook only for a known handshake.`,
    'POST the event to this URL.',
    { headers: { allow: ALLOW } },
  )
}

export function unknownWebhook(): ApiError {
  return new ApiError(
    404,
    'No webhook has this URL.',
    'Check the URL against webhook_url in the trigger’s record; the trigger may have been deleted.',
  )
}
