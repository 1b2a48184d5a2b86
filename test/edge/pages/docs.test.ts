import { afterEach, describe, expect, it, vi } from 'vitest'
import { SOURCES } from '../../../edge/docs/sources.ts'
import { documentName } from '../../../edge/docs/document-paths.ts'
import { ERROR_CODES } from '../../../shared/errors/error-codes.ts'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { toErrorResponse } from '../../../edge/http/error-response.ts'
import { createApp } from '../../../edge/app.ts'
import { edge, env } from '../app.ts'

const BROWSER = { accept: 'text/html,*/*;q=0.8' }

describe('the documentation at /docs', () => {
  it('serves every page with one h1 and under 100 KB', async () => {
    for (const { file, title } of SOURCES) {
      const response = await edge(`/docs/${documentName(file)}`)
      const text = await response.text()
      expect([file, response.status, text.match(/<h1>/g)?.length]).toEqual([file, 200, 1])
      expect(text).toContain('</main>')
      expect([file, text.length < 100_000]).toEqual([file, true])
      expect(title).not.toBe('')
    }
  })

  it('lists all pages, and every link in the lists works', async () => {
    for (const list of ['/docs', '/docs/decisions']) {
      const text = await (await edge(list)).text()
      const links = [...text.matchAll(/<a href="(\/docs\/[^"]+)"/g)].map(([, href]) => href!)
      expect(links.length).toBeGreaterThan(10)
      for (const link of links) expect([link, (await edge(link)).status]).toEqual([link, 200])
    }
  })

  it('serves Markdown under the same URL with .md', async () => {
    const response = await edge('/docs/errors.md')
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await response.text()).toMatch(/^# Errors\n/)
  })

  it.each(['/docs/errors', '/docs/errors.md', '/docs'])(
    'lets caches store %s, and answers 304 if it is unchanged',
    async (path) => {
      const first = await edge(path)
      expect(first.headers.get('cache-control')).toBe('public, max-age=300')
      const etag = first.headers.get('etag')!
      const second = await edge(path, { headers: { 'if-none-match': etag } })
      expect([second.status, await second.text()]).toEqual([304, ''])
      const other = await edge(path, { headers: { 'if-none-match': '"another"' } })
      expect(other.status).toBe(200)
    },
  )

  it('is identical for signed-in users, without names or form tokens in a cached page', async () => {
    const [one, other] = await Promise.all([
      edge('/docs/errors').then((response) => response.text()),
      edge('/docs/errors', { headers: { cookie: '__Host-session=x; session=x' } }).then(
        (response) => response.text(),
      ),
    ])
    expect(other).toBe(one)
    expect(one).not.toContain('csrf')
  })

  it('is available while the database is down', async () => {
    const away = new Proxy({} as D1Database, {
      get() {
        throw new Error('D1_ERROR: overloaded')
      },
    })
    const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
    const response = await createApp().request(
      'https://edge.test/docs/security',
      {},
      { ...env, DB: away },
      context,
    )
    expect(response.status).toBe(200)
  })

  it('may run the scripts for copying and searching, and may not connect anywhere', async () => {
    const policy = (await edge('/docs/errors')).headers.get('content-security-policy')
    const scripts = ['docs', 'docs-search'].map((name) => `https://edge.test/scripts/${name}.js`)
    expect(policy).toContain(`script-src ${scripts.join(' ')}; connect-src 'none'`)
    expect((await edge('/scripts/docs.js')).headers.get('content-type')).toMatch(/javascript/)
  })

  it.each([
    '/docs/nothing',
    '/docs/how-to/nothing',
    '/docs/plan',
    '/docs/..%2fsecret.md',
    '/docs/decisions.md',
  ])('returns 404 for %s', async (path) => {
    const response = await edge(path, { headers: BROWSER })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Page not found')
  })
})

describe('the docs_url of an error', () => {
  afterEach(() => vi.restoreAllMocks())

  it('links to an existing anchor for every error code', async () => {
    // 500s are logged, but these are not real failures.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const page = await (await edge('/docs/errors')).text()
    for (const reason of Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[]) {
      const failure = new ApiError(ERROR_CODES[reason].statuses[0], 'm', 'f', { reason })
      const answer = toErrorResponse(failure, new Request('https://edge.test/x'), env)
      const { docs_url } = await answer.json<{ docs_url: string }>()
      const { origin, pathname, hash } = new URL(docs_url)
      expect([origin, pathname]).toEqual(['https://edge.test', '/docs/errors'])
      expect(page).toContain(`id="${hash.slice(1)}"`)
    }
  })
})

describe('an error in JSON', () => {
  it('is not cached in place of the page, and not sniffed as another type', async () => {
    for (const path of ['/nothing', '/api/triggers', `/webhook/${'x'.repeat(32)}`]) {
      const { headers } = await edge(path, { method: path.startsWith('/webhook') ? 'POST' : 'GET' })
      expect(headers.get('vary')?.toLowerCase()).toContain('accept')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })
})
