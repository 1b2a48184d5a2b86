import { describe, expect, it } from 'vitest'
import { createApp } from '../../../edge/app.ts'
import { apiOperations } from '../../../edge/http/api-operations.ts'
import { TRIGGER_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import {
  createTrigger,
  edge,
  type Owner,
  post,
  someOwner,
  unknownTriggerId,
  webhook,
} from '../app.ts'

const owner: Owner = await someOwner()
const { id } = await createTrigger(owner)

/** Read from the router, so that new operations are always included. */
const OPERATIONS = createApp()
  .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
  .map(({ method, path }) => {
    const named = path.startsWith('/api/runs') ? `${id}AAAAAAAAAAAAAAAA` : id
    return [method, path.replace(':id', named)] as const
  })

describe('every /api operation', () => {
  it.each(OPERATIONS)(
    '%s %s returns 401 without a bearer token, before any other check',
    async (method, path) => {
      for (const authorization of [undefined, `Bearer ${'a'.repeat(64)}`, `Basic ${owner.token}`]) {
        const headers = authorization === undefined ? {} : { authorization }
        const response = await edge(`${path}?limit=x`, { method, headers })
        expect(response.status).toBe(401)
        expect(await response.json()).toMatchObject({ error: 'unauthorized' })
      }
    },
  )

  it.each(OPERATIONS)('CSRF: %s %s ignores cookies', async (method, path) => {
    const cookie = `__Host-svc=${owner.token}; svc=${owner.token}`
    const response = await edge(path, { method, headers: { cookie } })
    expect(response.status).toBe(401)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

const [reader, writer] = await Promise.all([
  someOwner({ scopes: ['triggers:read'] }),
  someOwner({ scopes: ['triggers:write'] }),
])

/** POST operations that change nothing. */
const PREVIEWS = ['/api/triggers/preview', '/api/replays/preview']

describe('scopes', () => {
  const refusalOf = async (from: Owner, method: string, path: string) => {
    const response = await from.api(path, { method })
    if (response.status !== 403) return undefined
    expect(await response.json()).toMatchObject({
      reason: 'insufficient_scope',
      fix: expect.stringContaining('generate a new token'),
    })
    return response.headers.get('www-authenticate')
  }
  const asking = (scope: string) => `Bearer error="insufficient_scope", scope="${scope}"`

  it.each(OPERATIONS)(
    'scope escalation: %s %s requires a token with its scope',
    async (method, path) => {
      const isOpen = path === '/api/me'
      const reads = method === 'GET' || PREVIEWS.includes(path)
      expect(await refusalOf(reader, method, path)).toBe(
        reads ? undefined : asking('triggers:write'),
      )
      const ofWriter = isOpen || !reads ? undefined : asking('triggers:read')
      expect(await refusalOf(writer, method, path)).toBe(ofWriter)
    },
  )

  it('match the OpenAPI description', () => {
    for (const { method, path, scope } of apiOperations) {
      const reads = method === 'get' || PREVIEWS.includes(path)
      const expected = path === '/api/me' ? null : reads ? 'triggers:read' : 'triggers:write'
      expect([method, path, scope]).toEqual([method, path, expected])
    }
    expect(apiOperations).toHaveLength(OPERATIONS.length)
  })
})

describe('every response', () => {
  it.each([
    ['GET', '/health', 200],
    ['GET', '/api/me', 401],
    ['GET', '/nothing/here', 404],
    ['GET', '/api/nothing', 404],
    ['PUT', '/api/triggers', 405],
    ['GET', `/webhook/${id}`, 405],
    ['POST', `/webhook/${id}`, 202],
    ['POST', '/webhook/x', 404],
    ['OPTIONS', '/api/triggers', 204],
  ])('to %s %s (%i) has a unique x-request-id', async (method, path, status) => {
    const [one, two] = [await edge(path, { method }), await edge(path, { method })]
    expect(one.status).toBe(status)
    const requestIds = [one, two].map((response) => response.headers.get('x-request-id'))
    expect(requestIds[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(requestIds[1]).not.toBe(requestIds[0])
  })

  it('echoes an x-correlation-id of up to 255 characters, and ignores the client’s x-request-id', async () => {
    const headers = { 'x-correlation-id': 'c'.repeat(300), 'x-request-id': 'mine' }
    const response = await edge('/health', { headers })
    expect(response.headers.get('x-correlation-id')).toBe('c'.repeat(255))
    expect(response.headers.get('x-request-id')).not.toBe('mine')
  })

  it.each([
    ['GET', '/nothing/here', 404, 'not_found'],
    ['PUT', '/api/triggers', 405, 'method_not_allowed'],
    ['POST', `/webhook/${'x'.repeat(32)}`, 404, 'not_found'],
  ])(
    'to a failing %s %s is structured: error, message, fix and documentation link',
    async (method, path, status, error) => {
      const response = await edge(path, { method })
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toEqual({
        error,
        message: expect.stringMatching(/./),
        fix: expect.stringMatching(/./),
        docs_url: `https://edge.test/docs/errors#${error}`,
      })
    },
  )

  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

  it.each([
    ['GET', '/nothing/here', 404],
    ['PUT', '/sign-in', 405],
    ['GET', '/agent/tokns', 404],
  ])(
    'to a failing %s %s (%i) is a page for a browser, with the security headers of every page',
    async (...asked) => {
      const [method, path, status] = asked
      const response = await edge(path, { method, headers: { accept: BROWSER } })
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toMatch(/^text\/html/)
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(await response.text()).toMatch(/<main [^]*<h1>[^]*<\/main>/)
    },
  )

  it.each([
    ['GET', '/api/nothing'],
    ['GET', '/api/me'],
    ['GET', `/webhook/${id}`],
    ['GET', '/core/v1/nothing'],
    ['POST', '/agent/requests'],
  ])('to a failing %s %s is JSON, whatever the Accept header', async (method, path) => {
    const response = await edge(path, { method, headers: { accept: BROWSER } })
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it('XSS: an error page does not contain the markup of the path', async () => {
    const path = '/<img src=x onerror=alert(1)>'
    const response = await edge(path, { headers: { accept: BROWSER } })
    expect(await response.text()).not.toContain('onerror')
  })

  it('with 405 lists the allowed methods', async () => {
    const response = await owner.api('/api/triggers', { method: 'PUT' })
    expect(response.headers.get('allow')!.split(', ').toSorted()).toEqual(['GET', 'POST'])
    const one = await owner.api(`/api/triggers/${id}`, { method: 'POST' })
    expect(one.headers.get('allow')!.split(', ').toSorted()).toEqual(['DELETE', 'GET', 'PATCH'])
  })

  it('to HEAD equals that to GET without the body', async () => {
    for (const path of [
      '/health',
      '/api/me',
      `/api/triggers/${id}`,
      '/api/triggers',
      '/openapi.json',
    ]) {
      const [head, get] = [await owner.api(path, { method: 'HEAD' }), await owner.api(path)]
      expect([path, head.status, await head.text()]).toEqual([path, get.status, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    }
  })

  it('is 415 for a body of another content type', async () => {
    const init = { method: 'POST', body: JSON.stringify(webhook()) }
    const response = await owner.api('/api/triggers', {
      ...init,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.status).toBe(415)
  })
})

describe('an oversized body', () => {
  const PATHS = [
    ['POST', '/api/triggers'],
    ['PATCH', `/api/triggers/${id}`],
  ] as const
  const headers = { 'content-type': 'application/json' }
  /** Streams an endless body without a content length. */
  const endless = () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64 * 1024
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
      },
    })
    return { body, sent: () => sent }
  }

  it.each(PATHS)('%s %s: is 413 by its declared length', async (method, path) => {
    const body = ' '.repeat(TRIGGER_BODY_MAX_BYTES + 1)
    const response = await owner.api(path, { method, body, headers })
    expect(response.status).toBe(413)
    const exact = await owner.api(path, { method, body: body.slice(1), headers })
    expect(exact.status).toBe(400)
  })

  it.each(PATHS)('%s %s: is 413 without a length or an end', async (method, path) => {
    const { body, sent } = endless()
    const response = await owner.api(path, { method, body, headers })
    expect(response.status).toBe(413)
    expect(sent()).toBeLessThan(TRIGGER_BODY_MAX_BYTES + 2 * 1024 * 1024)
  })

  it.each(PATHS)('flood: %s %s does not read the body without a token', async (method, path) => {
    const { body, sent } = endless()
    const response = await edge(path, { method, body, headers })
    expect(response.status).toBe(401)
    expect(sent()).toBeLessThan(1024 * 1024)
  })
})

describe('CORS', () => {
  const origin = { origin: 'https://elsewhere.test' }

  it('lets any origin read /api/*, including errors, without credentials', async () => {
    for (const path of ['/api/triggers', '/api/me', '/api/nothing']) {
      const response = await edge(path, { headers: origin })
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      const exposed = response.headers.get('access-control-expose-headers')
      for (const name of ['x-request-id', 'x-total-count', 'retry-after', 'link', 'location'])
        expect(exposed).toContain(name)
    }
  })

  it('answers a preflight with the methods and headers of the API', async () => {
    const headers = { ...origin, 'access-control-request-method': 'PATCH' }
    const response = await edge(`/api/triggers/${id}`, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
      expect(response.headers.get('access-control-allow-methods')).toContain(method)
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization')
  })

  it('lets no other origin read anything else', async () => {
    for (const path of ['/', '/sign-in', '/agent/authorize', '/health', `/webhook/${id}`]) {
      const response = await edge(path, { headers: origin })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

it('path traversal: an ID with a slash, dot or escape reaches no other path', async () => {
  const made = await unknownTriggerId()
  for (const path of [`${made}/../..`, `${made}%2Fruns`, `%00`, `${made}%0A`, '.', '%2e%2e'])
    expect((await owner.api(`/api/triggers/${path}/runs/x`)).status).toBe(404)
  const { init } = post('', webhook())
  expect((await owner.api('/api/triggers/', init)).status).toBe(404)
})

it('query flood: parses thirty thousand parameters in linear time', async () => {
  const hook = await createTrigger(owner)
  const began = performance.now()
  const flood = `/webhook/${hook.id}?${'a=1&'.repeat(10_000)}${'b&'.repeat(10_000)}`
  const response = await edge(flood, { method: 'POST', body: '{}' })
  expect(response.status).toBe(202)
  // Looking up every occurrence of a name used to take seconds.
  expect(performance.now() - began).toBeLessThan(1_500)
})
