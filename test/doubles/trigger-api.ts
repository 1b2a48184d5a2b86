/** In-memory trigger service over real connections, to test the output and requests of its clients. */
import type { ServerResponse } from 'node:http'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import { previewRequest } from '../../shared/wire/preview.ts'
import {
  createTriggerRequest,
  defaultQueuedRuns,
  patchTriggerRequest,
  type RunRecord,
  type StoredTrigger,
} from '../../shared/wire/trigger.ts'
import { alertRoutes } from './alerts-api.ts'
import { type Received, startWebServer } from './web-server.ts'

export type TriggerApi = Awaited<ReturnType<typeof startTriggerApi>>

/** Valid from the start. Other tokens become valid with `approve`. */
export const GOOD_TOKEN = 'g'.repeat(64)
const AT = '2026-05-22T13:05:00.000Z'

type Call = { request: Received; url: URL; body: any; id: string }
type Answer = { status?: number; body?: unknown; text?: string }

/**
 * Runs finish at once: successfully with their input, or failed if the event has `fail`. They stay queued if the event
 * has `wait`.
 */
export async function startTriggerApi() {
  const triggers = new Map<string, StoredTrigger>()
  const runs = new Map<string, RunRecord>()
  const tokens = new Set([GOOD_TOKEN])
  const keys: string[] = []
  const listed = { as: (one: RunRecord) => one }
  let made = 0
  let isAnyTokenGood = false
  let refusals = 0
  let refusalsAfterTest = 0
  let isNextTestLost = false

  const server = await startWebServer((request, response) => {
    void answered(request).then((answer) => {
      const isLost = isNextTestLost && request.url.endsWith('/test')
      if (isLost) isNextTestLost = false
      if (refusalsAfterTest > 0 && request.url.endsWith('/test')) {
        refusals = refusalsAfterTest
        refusalsAfterTest = 0
      }
      if (isLost) response.socket?.destroy()
      else send(answer, response)
    })
  })

  function run(trigger: StoredTrigger, event: any, more: Partial<RunRecord> = {}): RunRecord {
    const id = trigger.id + encodeBase64url(new TextEncoder().encode(`run-${++made}`.padEnd(12)))
    const [isWaiting, isFailing] = [event?.wait !== undefined, event?.fail !== undefined]
    const ended = isWaiting ? null : AT
    const record: RunRecord = {
      id,
      trigger_id: trigger.id,
      status: isWaiting ? 'queued' : isFailing ? 'failed' : 'success',
      input: { event },
      response: isWaiting || isFailing ? null : { echo: event },
      error: isFailing ? `Error: ${event.fail}\n    at main (action.js:1:1)` : null,
      logs: [{ level: 'log', at_ms: 1, text: 'seen' }],
      charged_cents: isWaiting || isFailing ? 0 : 1,
      receipt: null,
      attempt: 1,
      action_cid: trigger.action_cid,
      queued_at: AT,
      started_at: ended,
      finished_at: ended,
      next_attempt_at: null,
      waiting_for: null,
      test: false,
      replay_of: null,
      reorged: false,
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      ...more,
    }
    runs.set(id, record)
    return record
  }
  /** Responds without waiting. */
  function tail(id: string): Answer {
    if (!triggers.has(id)) return found(undefined)
    return { body: { cursor: 'cursor', changed: true, lines: [] } }
  }
  const queued = ({ id }: RunRecord): Answer => ({
    status: 202,
    body: { run_id: id, status: 'queued' },
  })

  async function create({ body }: Call): Promise<Answer> {
    const {
      usage_api_key,
      usage_key_of,
      webhook_secret: _secret,
      ...fields
    } = createTriggerRequest.parse(body)
    if (usage_key_of !== undefined && !triggers.has(usage_key_of)) return found(undefined)
    if (usage_api_key !== undefined) keys.push(usage_api_key)
    const id = encodeBase64url(new TextEncoder().encode(`trigger-${++made}`.padEnd(24)))
    const stored: StoredTrigger = {
      ...fields,
      max_queued_runs: fields.max_queued_runs ?? defaultQueuedRuns(fields.kind),
      id,
      action_cid: await actionCid(fields.action_code),
      ...(fields.kind === 'webhook' && { webhook_url: `${url()}/webhook/${id}` }),
      ...(fields.kind === 'schedule' && { next_run_at: fields.enabled ? AT : null }),
      disabled_reason: null,
      waiting_for: null,
      created_at: AT,
      updated_at: AT,
      warnings: ['the key may not run this action now'],
    }
    triggers.set(id, stored)
    return { status: 201, body: stored }
  }

  const routes: [string, RegExp, (call: Call) => Answer | Promise<Answer>][] = [
    ['GET', /^\/api\/me$/, () => ({ body: ME })],
    ['GET', /^\/api\/chains$/, () => ({ body: { chains: [CHAIN] } })],
    ['POST', /^\/api\/triggers\/preview$/, ({ body }) => preview(previewRequest.parse(body))],
    ['POST', /^\/api\/triggers$/, create],
    ['GET', /^\/api\/triggers$/, () => ({ body: [...triggers.values()].map(withoutCode) })],
    ['GET', /^\/api\/triggers\/([\w-]+)$/, ({ id }) => found(triggers.get(id))],
    [
      'PATCH',
      /^\/api\/triggers\/([\w-]+)$/,
      ({ id, body }) => {
        const {
          usage_api_key,
          kind: _fixed,
          webhook_secret: _secret,
          ...changes
        } = patchTriggerRequest.parse(body)
        if (usage_api_key !== undefined) keys.push(usage_api_key)
        const trigger = triggers.get(id)
        if (trigger) triggers.set(id, { ...trigger, ...(changes as Partial<StoredTrigger>) })
        return found(triggers.get(id))
      },
    ],
    [
      'DELETE',
      /^\/api\/triggers\/([\w-]+)$/,
      ({ id }) => (triggers.delete(id) ? { status: 204 } : found(undefined)),
    ],
    [
      'POST',
      /^\/api\/triggers\/([\w-]+)\/test$/,
      ({ id, body }) => queued(run(triggers.get(id)!, body.event ?? body.params, { test: true })),
    ],
    ['POST', /^\/api\/triggers\/([\w-]+)\/purge$/, () => ({ body: { cancelled: 3 } })],
    [
      'GET',
      /^\/api\/triggers\/([\w-]+)\/runs$/,
      ({ id, url: { searchParams } }) => {
        const status = searchParams.get('status')
        const since = searchParams.get('since') ?? ''
        const all = [...runs.values()]
          .filter((one) => one.trigger_id === id && (!status || one.status === status))
          .filter(({ queued_at }) => queued_at >= since)
          .toReversed()
          .slice(0, Number(searchParams.get('limit')))
          .map(listed.as)
        return { body: { runs: all, next_cursor: null } }
      },
    ],
    ['GET', /^\/api\/triggers\/([\w-]+)\/tail$/, ({ id }) => tail(id)],
    ['GET', /^\/api\/runs\/([\w-]+)$/, ({ id }) => found(runs.get(id))],
    [
      'POST',
      /^\/api\/runs\/([\w-]+)\/cancel$/,
      ({ id }) => {
        const one = {
          ...runs.get(id)!,
          status: 'failed',
          error: 'cancelled: by its owner',
        } as const
        runs.set(id, { ...one, finished_at: AT })
        return found(runs.get(id))
      },
    ],
    [
      'POST',
      /^\/api\/runs\/([\w-]+)\/replay$/,
      ({ id }) => {
        const { trigger_id, input } = runs.get(id)!
        return queued(run(triggers.get(trigger_id)!, input['event'], { replay_of: id }))
      },
    ],
    [
      'POST',
      /^\/webhook\/([\w-]+)$/,
      ({ id, request }) => queued(run(triggers.get(id)!, JSON.parse(request.body))),
    ],
    ['POST', /^\/agent\/requests$/, ({ body }) => ({ status: 201, body: requested(body) })],
    ...alertRoutes(),
    ['GET', /^\/SKILL\.md$/, () => ({ text: '# The guide' })],
  ]

  async function answered(request: Received): Promise<Answer> {
    if (refusals-- > 0) return refused(503, 'unavailable')
    const at = new URL(request.url, url())
    const route = routes.find(
      ([method, path]) => method === request.method && path.test(at.pathname),
    )
    if (!route) return refused(404, 'not_found')
    const [, path, act] = route
    const token = String(request.headers['authorization']).replace('Bearer ', '')
    if (at.pathname.startsWith('/api/') && !tokens.has(token) && !isAnyTokenGood)
      return refused(401, 'unauthorized')
    const id = path.exec(at.pathname)?.[1] ?? ''
    const isJson = request.body !== '' && !at.pathname.startsWith('/webhook/')
    const body = isJson ? JSON.parse(request.body) : {}
    try {
      return await act({ request, url: at, body, id })
    } catch (error) {
      return refused(422, 'invalid_request', (error as Error).message)
    }
  }

  function requested({ challenge }: { challenge: string }): object {
    return {
      request_id: 'r1',
      user_code: 'ABCD-EFGH',
      authorize_url: `${url()}/agent/authorize?challenge=${challenge}`,
      expires_at: AT,
    }
  }

  function url(): string {
    return `http://127.0.0.1:${server.port}`
  }

  return {
    url: url(),
    received: server.received,
    triggers,
    runs,
    /** Usage keys sent, in order. */
    keys,
    /** Approves every token, as if a user had authorized it. */
    approve: () => void (isAnyTokenGood = true),
    /** Withdraws all approvals, including that of `GOOD_TOKEN`. */
    revoke: () => {
      isAnyTokenGood = false
      tokens.clear()
    },
    run,
    /** Creates a webhook with one run. */
    deliver: async (name: string, event: unknown) => {
      const fields = { name, kind: 'webhook', action_code: 'x', usage_api_key: 'k' }
      const { body } = await create({ body: fields } as Call)
      run(body as StoredTrigger, event)
    },
    /** A run as lists show it. */
    listed,
    /** Responds with 503 to this many requests. */
    refuseNext: (requests: number) => void (refusals = requests),
    /** Responds with 503 to this many requests that follow the next test run. */
    refuseAfterNextTest: (requests: number) => void (refusalsAfterTest = requests),
    /** Closes the connection of the next test run, after it was created. */
    loseNextTest: () => void (isNextTestLost = true),
    close: server.close,
  }
}

const ME = {
  id: 'u1',
  email: 'ada@example.com',
  token_expires_at: AT,
  label: null,
  scopes: ['triggers:read', 'triggers:write'],
}

const CHAIN = {
  chain: 'ethereum',
  chain_id: 1,
  finality: 64,
  poll_ms: 4000,
  watching: true,
  head: 100,
  head_at: AT,
  head_age_s: 1,
  looked_through: 98,
  lag_blocks: 2,
  safe: null,
  finalized: 36,
  answered_at: AT,
  rpc: [{ endpoint: 0, state: 'healthy', head: 100, latency_ms: 3, last_failure: null }],
}

function preview({ kind, default_params }: { kind: string; default_params: object }): Answer {
  const next = ['2026-05-22T13:05:00Z', '2026-05-22T13:10:00Z']
  const params = { ...default_params, source: kind }
  return { body: kind === 'schedule' ? { next, min_interval_s: 300, params } : { params } }
}

function withoutCode({ action_code: _code, waiting_for: _waiting, ...listed }: StoredTrigger) {
  return listed
}

function found(body: unknown): Answer {
  return body === undefined ? refused(404, 'not_found') : { body }
}

function refused(status: number, error: string, message = `refused: ${error}`): Answer {
  const fix = `what to do about ${error}`
  return { status, body: { error, message, fix, docs_url: 'https://docs.test' } }
}

function send({ status = 200, body, text }: Answer, response: ServerResponse): void {
  if (text !== undefined) return void response.end(text)
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'request-1' })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
