/**
 * Payment processor on 127.0.0.1: the subset of the real API that our library uses, over HTTP, with its state machine,
 * idempotency keys, error envelopes and signed webhooks. Only the host differs from the real one.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { payAsClient } from '../../../origin/stack/pay-as-client.ts'
import type { Caller } from './api.ts'
import { ProcessorApiError } from './api-error.ts'
import { Faults } from './faults.ts'
import { GivingBack } from './giving-back.ts'
import { type Answered, IdempotencyKeys } from './idempotency.ts'
import { API_VERSION, newId } from './objects.ts'
import { ok, type Outcome, outcomeOf, refused } from './outcome.ts'
import { Paying } from './paying.ts'
import { type Emit, Records } from './records.ts'
import { control } from './test-routes.ts'
import { answerToBrowser } from './to-browsers.ts'
import { Webhooks } from './webhooks.ts'

export type ProcessorDouble = Awaited<ReturnType<typeof startProcessor>>

export type ProcessorOptions = {
  livemode?: boolean
  port?: number
  now?: () => number
  /** See `WebhooksOptions`. */
  retryMs?: readonly number[]
  tries?: number
}

export type Seen = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export async function startProcessor(options: ProcessorOptions = {}) {
  const { livemode = false, now = Date.now, retryMs, tries } = options
  const keys = newKeys(livemode)
  const webhookSecret = `whsec_${randomBytes(24).toString('hex')}`
  const retrying = { ...(retryMs && { retryMs }), ...(tries && { tries }) }
  const webhooks = new Webhooks({ livemode, now, ...retrying })
  const emit: Emit = (type, object) => webhooks.happened(type, object)
  const records = new Records(livemode, now)
  const paying = new Paying(records, emit)
  const givingBack = new GivingBack(records, emit)
  const idempotencyKeys = new IdempotencyKeys()
  const faults = new Faults()
  const seen: Seen[] = []

  const outcome = async (request: IncomingMessage, body: string): Promise<Outcome> => {
    const { method = '', url = '', headers } = request
    const { pathname: path, search } = new URL(url, 'http://processor')
    if (path.startsWith('/test/')) return ok(control(path, body, { paying, givingBack, webhooks }))
    const caller = callerOf(request, keys)
    seen.push({ method, path: path + search, headers, body })
    const idempotencyKey = textHeader(request, 'idempotency-key')
    const asked = { method, path, search, body, caller, idempotencyKey }
    const parts = { records, paying, keys: idempotencyKeys }
    return outcomeOf(asked, faults.meet(`${method} ${path}`), parts)
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (answerToBrowser(request, response)) return
    const body = await textOf(request)
    const answer = await outcome(request, body).catch((error: unknown) => {
      if (error instanceof ProcessorApiError) return refused(error)
      throw error
    })
    if (answer === 'reset') request.socket.resetAndDestroy()
    else if (answer !== 'hang') respond(request, response, answer)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((listening) => server.listen(options.port ?? 0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  return {
    url,
    keys,
    webhookSecret,
    /** Settings of an origin that uses this processor. */
    settings: settingsOf(url, keys, webhookSecret),
    records,
    paying,
    givingBack,
    webhooks,
    faults,
    idempotencyKeys,
    /** API requests so far. */
    seen,
    /** Pays as the browser client library does. */
    pay: (clientSecret: string, paymentMethod = 'pm_card_visa') =>
      payAsClient({ url, publishableKey: keys.publishable, clientSecret, paymentMethod }),
    close: async () => {
      await webhooks.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function settingsOf(url: string, keys: Keys, webhookSecret: string) {
  return {
    SVC_PROCESSOR_URL: url,
    SVC_PROCESSOR_SECRET_KEY: keys.secret,
    SVC_PROCESSOR_PUBLISHABLE_KEY: keys.publishable,
    SVC_PROCESSOR_WEBHOOK_SECRET: webhookSecret,
  }
}

type Keys = { secret: string; publishable: string }

function newKeys(livemode: boolean): Keys {
  const mode = livemode ? 'live' : 'test'
  const key = (kind: string) => `${kind}_${mode}_${randomBytes(18).toString('hex')}`
  return { secret: key('sk'), publishable: key('pk') }
}

function callerOf(request: IncomingMessage, keys: Keys): Caller {
  const sent = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (sent === keys.secret) return 'secret'
  if (sent === keys.publishable) return 'publishable'
  // Quotes parts of the key, like the real processor.
  const quoted = `${sent.slice(0, 8)}*****${sent.slice(-4)}`
  throw new ProcessorApiError(401, `Invalid API Key provided: ${quoted}`)
}

function respond(request: IncomingMessage, response: ServerResponse, answer: Answered): void {
  const key = textHeader(request, 'idempotency-key')
  response
    .writeHead(answer.status, {
      'content-type': 'application/json',
      'request-id': newId('req'),
      'stripe-version': textHeader(request, 'stripe-version') ?? API_VERSION,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(answer.replayed && { 'idempotent-replayed': 'true' }),
      // CORS for payments from browsers.
      'access-control-allow-origin': '*',
    })
    .end(answer.body)
}

function textHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
