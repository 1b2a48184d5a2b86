import { ApiError } from '../../shared/errors/api-error.ts'
import {
  RESPOND_WAIT_MS,
  WEBHOOK_BODY_MAX_BYTES,
  WEBHOOK_BODY_TIMEOUT_MS,
} from '../../shared/limits.ts'
import { type Env, settingsOf } from '../env.ts'
import { PARSING_RULES, type WebhookFiring } from '../queue/firing.ts'
import { linkRun } from '../telemetry/request-trace.ts'
import { echoedHeaders } from '../triggers/handshake-reply.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import { type ValuesByName, valuesByName } from '../triggers/values-by-name.ts'
import { type SelectedHeaders, selectHeaders } from '../triggers/webhook-headers.ts'
import { actionResponse } from './action-response.ts'
import { readBody } from './body-bytes.ts'
import { toErrorResponse } from './error-response.ts'
import { traceHeaders } from './trace-headers.ts'
import { recordRoute } from './request-route.ts'
import { handshakeResponse, unknownWebhook } from './webhook-handshake.ts'

const WEBHOOK_PATH = /^https?:\/\/[^/]+\/webhook\/([^/?#]+)(?:[?#]|$)/

export const WEBHOOK_ROUTE = '/webhook/:id'

const BODY_BOUNDS = {
  maxBytes: WEBHOOK_BODY_MAX_BYTES,
  withinMs: WEBHOOK_BODY_TIMEOUT_MS,
  fix: 'Send a smaller body, or a reference that the action can fetch.',
}

/**
 * Accepts a webhook, and responds with 202 and the run's ID once the run is stored durably. Returns `undefined` if the
 * request is not a webhook. Authenticates senders only if the trigger has `options.source`. Called before the router, because routing would take about
 * as long as inserting the run (docs/decisions/0009).
 */
export function handleWebhook(request: Request, env: Env): Promise<Response> | undefined {
  const id = request.method === 'POST' ? WEBHOOK_PATH.exec(request.url)?.[1] : undefined
  if (id === undefined) return undefined
  recordRoute(request, WEBHOOK_ROUTE)
  return acceptWebhook(request, env, id).catch((error: unknown) =>
    toErrorResponse(error, request, env),
  )
}

/**
 * Accepts a webhook without using D1: checks the ID's MAC, reads the body, and makes one RPC to the trigger queue.
 * @throws {ApiError} 400, 401, 404, 413, 429 or 503 if the webhook is not accepted
 */
async function acceptWebhook(request: Request, env: Env, id: string): Promise<Response> {
  const settings = settingsOf(env)
  if (!(await isTriggerId(settings.ID_MAC_KEY, id))) throw unknownWebhook()
  const body = await readBody(request, BODY_BOUNDS)
  const headers = selectHeaders(request.headers)
  const firing = JSON.stringify(firingOf(request, headers, settings.PUBLIC_URL, body.length))
  const { withheld, withheldTruncated, authorization } = headers
  const post = {
    firing,
    body,
    withheld: { ...withheld },
    withheldTruncated,
    ...(authorization === undefined ? {} : { authorization }),
  }
  const result = await env.TRIGGER_QUEUE.getByName(id).accept(post)
  switch (result.state) {
    case 'queued': {
      linkRun(request, result.runId, env)
      const trace = traceHeaders(request)
      const response = result.respond && (await responseOfRun(env, id, result.runId, trace))
      if (response) return response
      return Response.json(
        {
          run_id: result.runId,
          status: 'queued',
          ...(result.duplicate ? { duplicate: true } : {}),
        },
        { status: 202, headers: { ...trace, ...echoedHeaders(headers.headers) } },
      )
    }
    case 'filtered':
      return Response.json(
        { status: 'filtered' },
        { status: 202, headers: { ...traceHeaders(request), ...echoedHeaders(headers.headers) } },
      )
    case 'handshake':
      return handshakeResponse(result.reply, traceHeaders(request))
    case 'rejected':
      // The same response for every reason, so that it does not help to forge a signature.
      throw new ApiError(
        401,
        'The webhook is not signed as this URL requires.',
        'Sign it with the secret that the owner set for this trigger. The trigger’s record counts rejected webhooks.',
      )
    case 'unknown':
      throw unknownWebhook()
    case 'disabled':
      throw new ApiError(503, 'The trigger is disabled.', 'Its owner can enable it again.', {
        reason: 'trigger_disabled',
        headers: { 'retry-after': '300' },
      })
    case 'full':
      throw new ApiError(
        429,
        'The trigger’s queue is full.',
        'Try again later. The owner can raise max_queued_runs or max_runs_per_minute.',
        { headers: { 'retry-after': String(result.retryAfterS) } },
      )
  }
}

/**
 * Waits for the run, and returns the response of its action. Returns undefined if the run has not ended in time, or if
 * the object restarts, because the run is stored and continues.
 */
async function responseOfRun(
  env: Env,
  id: string,
  runId: string,
  trace: Record<string, string>,
): Promise<Response | undefined> {
  const queue = env.TRIGGER_QUEUE.getByName(id)
  const outcome = await queue
    .awaitOutcome(runId, RESPOND_WAIT_MS)
    .catch(() => ({ state: 'pending' }) as const)
  if (outcome.state === 'pending') return undefined
  const response =
    outcome.state === 'success' ? actionResponse(JSON.parse(outcome.response), trace) : undefined
  // The sender does not learn why the run failed. The owner sees the error in the history.
  return (
    response ?? Response.json({ run_id: runId, status: 'failed' }, { status: 502, headers: trace })
  )
}

function firingOf(
  request: Request,
  { headers, truncated }: SelectedHeaders,
  publicUrl: string,
  bodyBytes: number,
): WebhookFiring {
  // Some senders sign the URL, so the event contains the public URL, regardless of this request's host name.
  const path = request.url.slice(request.url.indexOf('/', request.url.indexOf('//') + 2))
  return {
    source: 'webhook',
    method: request.method,
    url: publicUrl.replace(/\/$/, '') + path,
    query: path.includes('?') ? queryOf(new URL(request.url).searchParams) : {},
    receivedAt: Date.now(),
    contentType: bodyBytes === 0 ? null : request.headers.get('content-type'),
    rules: PARSING_RULES,
    headers,
    ...(truncated ? { headersTruncated: true } : {}),
  }
}

/**
 * Maximum number of query parameters that are parsed, which limits the cost of a malicious request. The URL in the
 * event still contains all parameters.
 */
const QUERY_PARAMETERS_MAX = 256

function queryOf(parameters: URLSearchParams): ValuesByName {
  return valuesByName([...parameters].slice(0, QUERY_PARAMETERS_MAX))
}
