import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHANNEL_KEY_FILE, EVIDENCES_PATH } from '../../../shared/attestation/evidence.ts'
import { encodeBase64url, decodeBase64url } from '../../../shared/encoding/base64url.ts'
import { REQUEST_OVERHEAD_BYTES, SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import { importChannelKey, sealCall } from '../../../shared/envelope/seal.ts'
import { CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { evidenceKeySchema, SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import type { Step } from '../../doubles/script.ts'
import { edge, env, random, script, success } from '../app.ts'
import { between, edgeWith, someKey } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

const SECRET = 'canary of a client'

/** Seals a request as a client would, to the channel key that the client verified. */
async function sealed(mode: 'base' | 'psk' = 'base', steps: Step[] = [success(SECRET)]) {
  const file = await (
    await fetch(new URL(EVIDENCES_PATH + CHANNEL_KEY_FILE, env.ORIGIN_URL))
  ).json()
  const key = decodeBase64url(evidenceKeySchema.parse(file).public_key)!
  const issued_at = Date.now()
  const fields = {
    request_id: encodeBase64url(random(16)),
    issued_at,
    expires_at: issued_at + 60_000,
    credential: { api_key: someKey() },
    code: script(...steps),
    js_params: { text: SECRET },
    wait_ms: 0,
  }
  return sealCall(await importChannelKey(key), {
    method: 'POST',
    path: SEALED_EXECUTE_PATH,
    plaintext: new Uint8Array(Buffer.from(JSON.stringify(fields))),
    ...(mode === 'psk' && { psk: decodeBase64url(env.CHANNEL_PSK)! }),
  })
}

const post = (body: BodyInit, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body,
  headers: { 'content-type': SEALED_CONTENT_TYPE, ...headers },
})
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

describe('an end-to-end sealed request', () => {
  it('reaches the origin byte for byte, and its response reaches the client byte for byte', async () => {
    const { body, open } = await sealed()
    let [sent, answered]: Uint8Array[] = []
    const left = between(async (request, send) => {
      sent = new Uint8Array(await request.clone().arrayBuffer())
      const response = await send(request)
      answered = await bytesOf(response.clone())
      return response
    })
    const response = await edge(SEALED_EXECUTE_PATH, post(body))
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      SEALED_CONTENT_TYPE,
    ])
    const answer = await bytesOf(response)
    expect(answer).toEqual(answered)
    const text = new TextDecoder().decode(await open(answer))
    expect(JSON.parse(text)).toMatchObject({ state: 'ended', outcome: { response: SECRET } })
    expect(left).toHaveLength(1)
    expect(sent).toEqual(body)
  })

  it('log leak: neither its content nor its response appears in logs or headers', async () => {
    const lines: unknown[] = []
    for (const level of ['log', 'info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((...line) => void lines.push(...line))
    const { body } = await sealed('base', [{ unsealed: 502 }])
    const response = await edge(SEALED_EXECUTE_PATH, post(body))
    expect(JSON.stringify([lines, [...response.headers]])).not.toContain('canary')
  })

  it('does not need an origin that the edge has verified, because the client verified it', async () => {
    const { body, open } = await sealed()
    const left = between()
    const response = await edgeWith()(SEALED_EXECUTE_PATH, post(body))
    await open(await bytesOf(response))
    expect(left.map(({ url }) => new URL(url).pathname)).toEqual([SEALED_EXECUTE_PATH])
  })

  it('is forwarded without the headers of its sender', async () => {
    const { body } = await sealed()
    const left = between()
    const headers = {
      'x-api-key': SECRET,
      authorization: `Bearer ${SECRET}`,
      cookie: SECRET,
      'x-forwarded-for': '198.51.100.1',
      'x-other': '1',
    }
    await edge(SEALED_EXECUTE_PATH, post(body, headers))
    expect([...left[0]!.headers]).toEqual([['content-type', SEALED_CONTENT_TYPE]])
  })

  it('gets 421 for an unknown key, so that the client verifies again', async () => {
    const { body } = await sealed()
    body[2]! ^= 1
    expect((await edge(SEALED_EXECUTE_PATH, post(body))).status).toBe(421)
  })

  it('may come from a web page', async () => {
    const headers = {
      origin: 'https://page.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const asked = await edge(SEALED_EXECUTE_PATH, { method: 'OPTIONS', headers })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(asked.headers.get('access-control-allow-headers')).toBe('Content-Type')
    const refused = await edge(SEALED_EXECUTE_PATH, post('x', { origin: 'https://page.test' }))
    for (const answer of [refused, await edge(SEALED_EXECUTE_PATH, post((await sealed()).body))])
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('an invalid sealed request is not forwarded', () => {
  it.each<[string, number, () => Promise<RequestInit> | RequestInit]>([
    ['a replay of the edge’s own, in PSK mode', 403, async () => post((await sealed('psk')).body)],
    ['another mode', 400, async () => post((await sealed()).body.fill(2, 1, 2))],
    ['another version', 400, async () => post((await sealed()).body.fill(2, 0, 1))],
    ['less than an envelope', 400, () => post(random(REQUEST_OVERHEAD_BYTES - 1).fill(0, 1, 2))],
    ['nothing', 400, () => post('')],
    ['JSON', 415, () => post('{}', { 'content-type': 'application/json' })],
    [
      'another type’s name in it',
      415,
      () => post('x', { 'content-type': 'text/html, application/vnd.svc.sealed' }),
    ],
    ['a GET', 405, () => ({})],
  ])('%s: %i', async (_, status, make) => {
    const init = await make()
    const left = between()
    const response = await edge(SEALED_EXECUTE_PATH, init)
    const { fix } = await response.json<{ fix: string }>()
    expect([response.status, fix.length > 0]).toEqual([status, true])
    expect(left).toEqual([])
  })

  it('one byte above the largest source: 413 before the body is read', async () => {
    const left = between()
    const headers = { 'content-length': String(CORE_BODY_MAX_BYTES + REQUEST_OVERHEAD_BYTES + 1) }
    const body = new Uint8Array(CORE_BODY_MAX_BYTES + REQUEST_OVERHEAD_BYTES + 1)
    const response = await edge(SEALED_EXECUTE_PATH, post(body, headers))
    expect([response.status, left]).toEqual([413, []])
  })
})

describe('a failing origin', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

  it('returns 503 with Retry-After if it is unreachable', async () => {
    between(() => Promise.reject(new Error('refused')))
    const body = random(REQUEST_OVERHEAD_BYTES + 10)
    body.set([1, 0])
    const response = await edge(SEALED_EXECUTE_PATH, post(body))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })

  it('cut connection: returns 503, and the request is not resent', async () => {
    const { body } = await sealed('base', [{ break: true }])
    const left = between()
    expect((await edge(SEALED_EXECUTE_PATH, post(body))).status).toBe(503)
    expect(left).toHaveLength(1)
  })
})
