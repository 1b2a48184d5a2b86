import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import { type Env, settingsOf } from '../env.ts'
import type { HandshakeReply } from '../triggers/echo.ts'
import { getHandshake, optionsHandshake } from '../triggers/handshakes.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import type { App, AppEnv } from './app-env.ts'
import { traceHeaders } from './request-id.ts'

/** Methods that always have their answer; GET has one for handshakes alone. */
const ALLOW = 'HEAD, OPTIONS, POST'

/** What the router answers at a webhook's path: a POST has been taken by `takeWebhook` before. */
export function registerWebhook(app: App): void {
  app.on(['GET', 'OPTIONS'], '/webhook/:id', answerHandshake)
  app.all('/webhook/:id', methodNotAllowed)
}

/**
 * A sender that asks whether this URL expects its events (`decisions.md`, Handshakes): no run, and no storage.
 * @throws {ApiError} 404, 405
 */
async function answerHandshake(c: Context<AppEnv>): Promise<Response> {
  const request = c.req.raw
  const sender = await senderOf(c.env, c.req.param('id')!)
  const trace = traceHeaders(request)
  switch (request.method) {
    case 'HEAD':
      return new Response(null, { headers: trace })
    case 'OPTIONS': {
      const granted = optionsHandshake(request.headers)
      return new Response(null, { headers: { ...trace, ...granted, allow: ALLOW } })
    }
  }
  const asked = { query: new URL(request.url).searchParams, headers: request.headers }
  const reply = getHandshake(asked, sender)
  if (!reply) return methodNotAllowed(c)
  return handshakeResponse(reply, trace)
}

export function handshakeResponse(reply: HandshakeReply, trace: Record<string, string>): Response {
  return new Response(reply.body, { headers: { ...trace, ...reply.headers } })
}

/** Whose handshake the owner asked for. @throws {ApiError} 404 where there is no webhook */
async function senderOf(env: Env, id: string) {
  const known = await isTriggerId(settingsOf(env).ID_MAC_KEY, id)
  const webhook = known && (await env.TRIGGER_QUEUE.getByName(id).handshake())
  if (!webhook) throw unknownWebhook()
  return webhook.sender ?? undefined
}

function methodNotAllowed(c: Context<AppEnv>): never {
  throw new ApiError(
    405,
    `${c.req.method} is not a method of a webhook, unless it carries a handshake that is known.`,
    'POST the event to this URL.',
    { headers: { allow: ALLOW } },
  )
}

export function unknownWebhook(): ApiError {
  return new ApiError(
    404,
    'There is no such webhook.',
    'Check the URL against webhook_url in the trigger’s record; the trigger may have been deleted.',
  )
}
