import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HEAD_OPTIONS, rejectMalformedRequests } from '../../../origin/http/malformed-requests.ts'
import { HEAD_MAX_BYTES, WALLET_AUTH_MAX_CHARACTERS } from '../../../shared/limits.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let server: Server
beforeAll(async () => {
  origin = await startOrigin()
  const { log, counters, settings } = origin.services
  await new Promise<void>((listening) => {
    const options = {
      fetch: origin.app.fetch,
      port: 0,
      hostname: '127.0.0.1',
      createServer,
      serverOptions: HEAD_OPTIONS,
      overrideGlobalObjects: false,
    }
    server = serve(options, () => listening()) as Server
    rejectMalformedRequests(server, { log, counters, publicUrl: settings.SVC_PUBLIC_URL })
  })
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await origin.close()
})

type Answer = { status: number; headers: Headers; body: any }

/** Sends bytes on one connection, and reads until the server closes it. */
async function sent(...parts: string[]): Promise<Answer[]> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.on('error', () => {})
  const received: Buffer[] = []
  socket.on('data', (bytes) => received.push(bytes))
  const closed = new Promise((done) => socket.once('close', done))
  for (const part of parts) await new Promise((written) => socket.write(part, () => written(0)))
  await closed
  return answersIn(Buffer.concat(received).toString())
}

function answersIn(text: string): Answer[] {
  const answers: Answer[] = []
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...fields] = rest.slice(0, end).split('\r\n')
    const headers = new Headers(fields.map((field) => field.split(/: */, 2) as [string, string]))
    const length = Number(headers.get('content-length'))
    const body = rest.slice(end + 4, end + 4 + length)
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const WORDS: Record<number, string> = {
  400: 'bad_request',
  405: 'method_not_allowed',
  417: 'expectation_failed',
  431: 'request_header_fields_too_large',
}
const CANARY = 'canary-in-the-request'
const request = (line: string, ...fields: string[]) =>
  [`${line} HTTP/1.1`, ...fields, '', ''].join('\r\n')
const HOST = 'Host: localhost'
const POST_CHUNKED = request(
  'POST /core/v1/new_account',
  HOST,
  'Content-Type: application/json',
  'Transfer-Encoding: chunked',
)

describe('a request that cannot reach the app gets a structured error', () => {
  it.each<[string, string[], number]>([
    ['bytes that are not HTTP', [`${CANARY}\r\n\r\n`], 400],
    ['an unknown method', [request(`${CANARY} /health`, HOST)], 400],
    ['another version', [`GET /health HTTP/7.2\r\n${HOST}\r\nX: ${CANARY}\r\n\r\n`], 400],
    ['a header without a colon', [request('GET /health', HOST, CANARY)], 400],
    [
      'two lengths of one body',
      [request('POST /health', HOST, 'Content-Length: 2', 'Transfer-Encoding: chunked')],
      400,
    ],
    ['a chunk without a size', [POST_CHUNKED, `${CANARY}\r\n{}\r\n`], 400],
    ['a chunk without a size after others', [POST_CHUNKED, '1\r\n{\r\n', `${CANARY}\r\n`], 400],
    ['no Host', [request('GET /health', `X: ${CANARY}`)], 400],
    ['two Hosts', [request('GET /health', HOST, `Host: ${CANARY}`)], 400],
    ['the same Host twice', [request('GET /health', HOST, HOST)], 400],
    ['an empty Host', [request('GET /health', 'Host:')], 400],
    ['a port that is none', [request('GET /health', 'Host: localhost:99999')], 400],
    ['a target with a backslash', [request(`GET /${CANARY}\\b`, HOST)], 400],
    ['a target that is an asterisk', [request('OPTIONS *', HOST)], 400],
    ['CONNECT', [request(`CONNECT ${CANARY}:443`, HOST)], 405],
    ['an unknown Expect', [request('GET /health', HOST, `Expect: ${CANARY}`)], 417],
    ['a long URL', [request(`GET /${CANARY.repeat(HEAD_MAX_BYTES / 16)}`, HOST)], 431],
    [
      'a large X-Wallet-Auth',
      [request('GET /health', HOST, `X-Wallet-Auth: ${CANARY.repeat(HEAD_MAX_BYTES / 16)}`)],
      431,
    ],
  ])('%s', async (_, parts, status) => {
    const [answer, ...more] = await sent(...parts)
    expect(more).toEqual([])
    expect(answer!.status).toBe(status)
    const { headers, body } = answer!
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('connection')).toBe('close')
    expect(headers.get('x-request-id')).toMatch(UUID)
    const word = WORDS[status]
    expect(body).toEqual({
      error: word,
      message: expect.stringMatching(/./),
      fix: expect.stringMatching(/./),
      docs_url: `https://origin.test/docs/errors#${word}`,
    })
    expect(JSON.stringify([body, ...headers])).not.toContain(CANARY)
    expect(origin.lines.join('')).not.toContain(CANARY)
    const logged = origin.lines.map((line) => JSON.parse(line))
    expect(logged).toContainEqual(
      expect.objectContaining({ status, request_id: headers.get('x-request-id') }),
    )
  })

  it('with the allowed methods in the 405 for CONNECT', async () => {
    const [answer] = await sent(request('CONNECT example.com:443', HOST))
    expect(answer!.headers.get('allow')).toBe('GET, POST')
  })
})

describe('path confusion by a Host', () => {
  it.each(['x/health?', 'x/health#', 'localhost?', 'localhost#', 'a@localhost', 'a b', 'h%61st'])(
    '%s is 400, and never selects the path',
    async (host) => {
      const [answer] = await sent(request('GET /nothing', `Host: ${host}`))
      expect([answer!.status, answer!.body.message]).toEqual([
        400,
        'The Host header is not a valid host.',
      ])
    },
  )

  it.each([
    'localhost',
    'LOCALHOST:8788',
    '127.0.0.1:1',
    '[::1]:8788',
    'a-b.example',
    'under_score',
  ])('%s is a host', async (host) => {
    const [answer] = await sent(request('GET /health', `Host: ${host}`, 'Connection: close'))
    expect(answer!.status).toBe(200)
  })
})

describe('bytes that are not HTTP', () => {
  it('response confusion: get a 400 after a complete request, which keeps its own response', async () => {
    const code = 'const main = () => new Promise((done) => setTimeout(() => done("mine"), 300))'
    const key = await origin.account()
    const body = JSON.stringify({ code })
    const run = request(
      'POST /core/v1/svc_action',
      HOST,
      `X-Api-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    )
    const [first, second, ...more] = await sent(`${run}${body}`, 'NOT HTTP\r\n\r\n', 'MORE\r\n\r\n')
    expect([first!.status, first!.body.response]).toEqual([200, 'mine'])
    expect([second!.status, second!.body.error]).toEqual([400, 'bad_request'])
    expect(more).toEqual([])
  })

  it('are ignored after a request with Connection: close', async () => {
    const close = request('GET /health', HOST, 'Connection: close')
    const answers = await sent(`${close}NOT HTTP\r\n\r\n`)
    expect(answers.map(({ status }) => status)).toEqual([200])
  })
})

describe('headers below the limit reach the app', () => {
  it('a long URL below it is 404, and is not echoed', async () => {
    const [answer] = await sent(request(`GET /${'a'.repeat(50_000)}`, HOST, 'Connection: close'))
    expect([answer!.status, answer!.body.message]).toEqual([404, 'No resource at this path.'])
  })

  const asking = (proof: string) =>
    request('GET /core/v1/billing/balance', HOST, `X-Wallet-Auth: ${proof}`, 'Connection: close')

  it('an X-Wallet-Auth of the maximum size is read', async () => {
    const json = JSON.stringify({ typed_data: {}, signature: 'x' })
    const padded = json.padEnd((WALLET_AUTH_MAX_CHARACTERS / 4) * 3, ' ')
    const proof = Buffer.from(padded).toString('base64')
    expect(proof).toHaveLength(WALLET_AUTH_MAX_CHARACTERS)
    const [answer] = await sent(asking(proof))
    expect([answer!.status, answer!.body.error]).toEqual([422, 'unprocessable_entity'])
  })

  it('an X-Wallet-Auth above its own limit gets an error with that limit', async () => {
    const [answer] = await sent(asking('A'.repeat(WALLET_AUTH_MAX_CHARACTERS + 4)))
    expect([answer!.status, answer!.body.error]).toEqual([400, 'bad_request'])
    expect(answer!.body.message).toContain(String(WALLET_AUTH_MAX_CHARACTERS))
  })
})
