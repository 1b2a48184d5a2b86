import type { Context } from 'hono'
import { ApiError } from '../../shared/errors.ts'
import { WEBHOOK_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { type Env, settingsOf } from '../env.ts'
import type { WebhookFiring } from '../queue/firing.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import { safeHeaders } from '../triggers/webhook-headers.ts'
import type { App } from './app-env.ts'
import { refusal } from './refusal.ts'
import { traceHeaders } from './request-id.ts'

const UNKNOWN = () =>
  new ApiError(
    404,
    'There is no such webhook.',
    'Check the URL against webhook_url in the trigger’s record; the trigger may have been deleted.',
  )

/** What the router answers at a webhook's path: a POST has been taken by `takeWebhook` before. */
export function registerWebhook(app: App): void {
  app.all('/webhook/:id', methodNotAllowed)
}

function methodNotAllowed(c: Context): never {
  throw new ApiError(
    405,
    `${c.req.method} is not a method of a webhook.`,
    'POST the event to this URL.',
    { headers: { allow: 'POST' } },
  )
}

const WEBHOOK_PATH = /^https?:\/\/[^/]+\/webhook\/([^/?#]+)(?:[?#]|$)/

/**
 * `POST /webhook/<id>`: 202 with the run's id once the run is on disk; `undefined` for any other request. Nobody
 * is authenticated here. It stands before the router: routing costs about as much as the insert.
 */
export function takeWebhook(request: Request, env: Env): Promise<Response> | undefined {
  const id = request.method === 'POST' ? WEBHOOK_PATH.exec(request.url)?.[1] : undefined
  return id === undefined
    ? undefined
    : answerWebhook(request, env, id).catch((error: unknown) => refusal(error, request, env))
}

/**
 * The way of a webhook, without D1: the id's MAC, the body's bytes, one RPC.
 * @throws {ApiError} 404, 413, 429, 503
 */
async function answerWebhook(request: Request, env: Env, id: string): Promise<Response> {
  const settings = settingsOf(env)
  if (!(await isTriggerId(settings.ID_MAC_KEY, id))) throw UNKNOWN()
  const body = await readBody(request)
  const firing = JSON.stringify(firingOf(request, settings.PUBLIC_URL, body.length))
  const accepted = await env.TRIGGER_QUEUE.getByName(id).accept(firing, body)
  switch (accepted.state) {
    case 'queued':
      return Response.json(
        { run_id: accepted.runId, status: 'queued' },
        { status: 202, headers: traceHeaders(request) },
      )
    case 'unknown':
      throw UNKNOWN()
    case 'disabled':
      throw new ApiError(503, 'The trigger is disabled.', 'Its owner can enable it again.', {
        error: 'trigger_disabled',
        headers: { 'retry-after': '300' },
      })
    case 'full':
      throw new ApiError(
        429,
        'The trigger’s queue is full.',
        'Send again later; the owner can raise max_queued_runs or max_runs_per_minute.',
        { headers: { 'retry-after': String(accepted.retryAfterS) } },
      )
  }
}

function firingOf(request: Request, publicUrl: string, bodyBytes: number): WebhookFiring {
  // The public URL is what a sender signs, whatever name this request came in by.
  const path = request.url.slice(request.url.indexOf('/', request.url.indexOf('//') + 2))
  const { headers, truncated } = safeHeaders(request.headers)
  return {
    source: 'webhook',
    method: request.method,
    url: publicUrl.replace(/\/$/, '') + path,
    query: path.includes('?') ? queryOf(new URL(request.url).searchParams) : {},
    receivedAt: Date.now(),
    contentType: bodyBytes === 0 ? null : request.headers.get('content-type'),
    headers,
    ...(truncated ? { headersTruncated: true } : {}),
  }
}

/** Parameters that are shown one by one; the URL has them all. Anybody may send a query, so its cost has an end. */
const QUERY_PARAMETERS_MAX = 256

function queryOf(parameters: URLSearchParams): Record<string, string | string[]> {
  // No prototype: a parameter may be called `__proto__`.
  const query: Record<string, string | string[]> = Object.create(null)
  let count = 0
  for (const [name, value] of parameters) {
    if (++count > QUERY_PARAMETERS_MAX) break
    const known = query[name]
    if (known === undefined) query[name] = value
    else if (typeof known === 'string') query[name] = [known, value]
    else known.push(value)
  }
  return query
}

/** The bytes as they came. Without a length they are counted while they are read. @throws {ApiError} 413 */
async function readBody(request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array()
  const length = request.headers.get('content-length')
  if (length !== null) {
    if (Number(length) > WEBHOOK_BODY_MAX_BYTES) throw tooLarge()
    return new Uint8Array(await request.arrayBuffer())
  }
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    total += chunk.length
    if (total > WEBHOOK_BODY_MAX_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  const body = new Uint8Array(total)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}

function tooLarge(): ApiError {
  return new ApiError(
    413,
    `A webhook's body may have at most ${WEBHOOK_BODY_MAX_BYTES} bytes.`,
    'Send less, or send a reference that the action can fetch.',
  )
}
