import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { asHeader } from '../../doubles/core-script.ts'
import { edge, env } from '../app.ts'
import { asked, between, isEvidence, production, someKey } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

const KEY = someKey()
const silent = () => vi.spyOn(console, 'error').mockImplementation(() => {})

describe('path smuggling: forwards only the open paths of the origin', () => {
  it.each([
    '/sealed/execute/',
    '/sealed/execute%2f..%2fhttp',
    '/sealed/outcomes',
    '/sealed/http',
    '/sealed/keys',
    '/health/',
    '/core/v1',
    '/core/v1/',
    '/core/v1/../../sealed/execute',
    '/core/v1/%2e%2e/%2e%2e/sealed/execute',
    '/core/v1/.%2e/sealed/http',
    '/core/v1/..%2f..%2fsealed%2fexecute',
    '/core/v1/%2e%2e%2fsealed',
    '/core/v1/..%5c..%5csealed',
    '/core/v1/x\\..\\..\\..\\sealed\\execute',
    '/core/v1//sealed/execute',
    '/core/v1//evil.test/x',
    '//evil.test/core/v1/version',
    '/core/v1/version/',
    '/core/v1/version;x',
    '/core/v1/version%00',
    '/core/v1/version%0d%0ax:1',
    '/core/v1/version%20HTTP/1.1',
    '/core/v1/.hidden',
    '/core/v1/@evil.test',
    '/core/v1/https:/evil.test/',
    '/core/v2/version',
    '/Core/v1/version',
    '/get_node_chain_config/',
    '/evidences/../sealed/execute',
    '/evidences/..%2froot.key',
    '/evidences/a/b',
    '/evidences//x',
    '/attestation/',
    '/attestation%2f..%2fsealed',
    '/info%3f',
  ])('%s', async (path) => {
    const left = between()
    for (const credential of [{}, { 'x-api-key': KEY }]) {
      const headers = { ...credential }
      const response = await edge(`https://edge.test${path}`, { headers })
      // If the client normalizes the path to `/sealed/execute`, it requests that route, which has its own rules.
      expect([404, 405]).toContain(response.status)
      const posted = await edge(`https://edge.test${path}`, { method: 'POST', body: 'x', headers })
      expect([404, 405, 415]).toContain(posted.status)
    }
    expect(left).toEqual([])
  })
})

describe('the wallet of an action', () => {
  it('man in the middle: the edge does not look it up, and names the origin instead', async () => {
    const left = between()
    const query = '?action_ipfs_cid=QmRf22bZar3WKmojipms22PkXH1MZGmvsqzQtuSvQE3uhm'
    for (const headers of [{}, { 'x-api-key': KEY }] as Record<string, string>[]) {
      const response = await edge(`/core/v1/get_svc_action_wallet${query}`, { headers })
      expect(response.status).toBe(404)
      const { fix } = await response.json<{ fix: string }>()
      expect(fix).toContain(
        `GET ${new URL('/core/v1/get_svc_action_wallet', env.ORIGIN_URL).href}?`,
      )
    }
    expect(left).toEqual([])
  })
})

describe('host confusion', () => {
  it('sends requests under any host name to the configured origin', async () => {
    const left = between()
    for (const url of ['https://evil.test', 'https://edge.test@evil.test', 'https://evil.test:1'])
      for (const headers of [{}, { 'x-api-key': KEY }] as Record<string, string>[])
        await edge(`${url}/core/v1/version?x=https://evil.test/%0a`, {
          headers: { ...headers, host: 'evil.test', 'x-forwarded-host': 'evil.test' },
        })
    const hosts = new Set(left.map((request) => new URL(request.url).host))
    expect([...hosts]).toEqual([new URL(env.ORIGIN_URL).host])
  })

  it('returns a redirect of the origin to the client without following it', async () => {
    const headers = { location: 'https://evil.test/' }
    const left = between((request, send) =>
      isEvidence(request) ? send(request) : new Response(null, { status: 302, headers }),
    )
    const response = await edge('/core/v1/version', { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://evil.test/'])
    const sealed = await edge('/core/v1/list_groups', { headers: { 'x-api-key': KEY } })
    expect(sealed.status).toBe(503)
    expect(left.filter((request) => !isEvidence(request))).toHaveLength(2)
  })
})

describe('header smuggling', () => {
  const forged = {
    'cf-connecting-ip': '198.51.100.1',
    'cf-ray': 'x',
    'client-ip': '198.51.100.1',
    cookie: '__Host-svc=secret',
    expect: '100-continue',
    forwarded: 'for=198.51.100.1',
    'keep-alive': 'timeout=1',
    'proxy-authorization': 'Basic x',
    te: 'trailers',
    'transfer-encoding': 'chunked',
    'true-client-ip': '198.51.100.1',
    upgrade: 'h2c',
    via: '1.1 evil',
    'x-forwarded-for': '198.51.100.1',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'http',
    'x-real-ip': '198.51.100.1',
  }

  it.each([
    ['sealed', { 'x-api-key': KEY }],
    ['plain', {}],
  ])('%s: no address, cookie or connection header reaches the origin', async (_, credential) => {
    const headers = {
      ...forged,
      ...credential,
      'x-kept': '1',
      connection: 'close, X-Named',
      'x-named': '1',
    }
    const request = await asked('/core/v1/version', { headers })
    expect(request.headers['x-kept']).toBe('1')
    const arrived = Object.keys(request.headers)
    for (const name of ['x-named', ...Object.keys(forged)]) expect(arrived).not.toContain(name)
    expect(JSON.stringify(request)).not.toContain('198.51.100.1')
  })

  it('address forgery: forwards only the address from the platform in production', async () => {
    const headers = { ...forged, 'cf-connecting-ip': '203.0.113.9', 'x-api-key': KEY }
    const response = await production()('/core/v1/version', { headers })
    const request = await response.json<any>()
    expect(request.client_address).toBe('203.0.113.9')
    expect(JSON.stringify(request)).not.toContain('198.51.100.1')
  })

  it('keeps a credential sealed if the Connection header names it', async () => {
    const left = between()
    const headers = { 'x-api-key': KEY, connection: 'x-api-key' }
    expect((await asked('/core/v1/version', { headers })).sealed).toBe(true)
    expect(left.map((request) => new URL(request.url).pathname)).toEqual([SEALED_HTTP_PATH])
  })

  it('header flood: returns 413 and sends nothing', async () => {
    const left = between()
    const headers = { 'x-api-key': KEY, 'x-flood': 'a'.repeat(70_000) }
    const response = await edge('/core/v1/list_groups', { headers })
    expect([response.status, left]).toEqual([413, []])
  })
})

describe('a malicious response', () => {
  it.each<[string, [string, string]]>([
    ['response splitting', ['x-a', 'b\r\nset-cookie: __Host-svc=planted']],
    ['a header that is no name', ['x a', 'b']],
    ['a planted cookie', ['set-cookie', '__Host-svc=planted']],
    ['a length of its own', ['content-length', '1']],
    ['a coding of its own', ['transfer-encoding', 'chunked']],
  ])('%s inside the envelope is rejected with 503', async (_, header) => {
    silent()
    const init = { headers: { 'x-api-key': KEY, ...asHeader({ headers: [header] }) } }
    const response = await edge('/core/v1/list_groups', init)
    expect([response.status, response.headers.get('set-cookie')]).toEqual([503, null])
  })

  it('planted cookie: is dropped from a plain response', async () => {
    const script = asHeader({ headers: [['set-cookie', '__Host-svc=planted; Path=/; Secure']] })
    const response = await edge('/core/v1/version', { headers: script })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null])
  })

  it.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/html;application/json',
    'application/json, text/html',
    'application/json;charset=utf-8,text/html',
    '',
  ])('script injection: a document on the edge’s host (%s) is sandboxed', async (type) => {
    const policy = "script-src 'unsafe-inline'"
    const script = asHeader({
      headers: [
        ['content-type', type],
        ['content-security-policy', policy],
      ],
      text: '<script>fetch("/agent/authorize")</script>',
    })
    const { headers } = await edge('/core/v1/swagger-ui', { headers: script })
    expect(headers.get('content-security-policy')).toBe(`${policy}, sandbox allow-scripts`)
  })
})

describe('a forwarded key', () => {
  it('log leak: is not logged, even if the connection is cut', async () => {
    const lines: unknown[] = []
    for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
      vi.spyOn(console, level).mockImplementation((...line) => void lines.push(...line))
    const canary = someKey()
    for (const script of [{ break: true as const }, { unsealed: 502 }, { status: 500 }])
      await edge('/core/v1/list_groups', { headers: { 'x-api-key': canary, ...asHeader(script) } })
    expect(JSON.stringify(lines)).not.toContain(canary)
  })

  it('eavesdropping: keeps the key, path, body and response unreadable between edge and origin', async () => {
    const seen: string[] = []
    between(async (request, send) => {
      if (isEvidence(request)) return send(request)
      seen.push(latin1(await request.clone().arrayBuffer()), request.url)
      seen.push(JSON.stringify([...request.headers]))
      const response = await send(request)
      seen.push(latin1(await response.clone().arrayBuffer()))
      return response
    })
    const init = {
      method: 'POST',
      body: 'canary-body',
      headers: { 'x-api-key': KEY, 'x-canary': '1' },
    }
    expect((await asked('/core/v1/canary-path', init)).sealed).toBe(true)
    expect(seen.join()).not.toContain('canary')
    expect(seen.join()).not.toContain(KEY)
  })

  it('storage leak: is not stored by, and does not name, the object that counts its calls', async () => {
    const canary = someKey()
    await asked('/core/v1/list_groups', { headers: { 'x-api-key': canary } })
    const ids = await listDurableObjectIds(env.RATE_CAP)
    expect(ids.map((id) => id.toString())).not.toContain(env.RATE_CAP.idFromName(canary).toString())
    for (const id of ids)
      await runInDurableObject(env.RATE_CAP.get(id), async (_, { storage }) => {
        expect((await storage.list()).size).toBe(0)
        const tables = storage.sql.exec(
          "select name from sqlite_master where name not like '\\_cf%' escape '\\'",
        )
        expect(tables.toArray()).toEqual([])
      })
  })
})

const latin1 = (bytes: ArrayBuffer) => new TextDecoder('latin1').decode(bytes)
