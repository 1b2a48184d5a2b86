import { gzipSync } from 'node:zlib'
import { runAction } from '@svc-run/cli/test'
import { expect, it } from 'vitest'

const PRICE = 'GET https://api.example.com/price?symbol=ETH'

type Fetch = NonNullable<Parameters<typeof runAction>[1]>['fetch']

/** Runs the body of `main`, with `get(url, options)`, which returns the text of the response or of the error. */
const run = (body: string, fetch: Fetch = {}) =>
  runAction(
    {
      code: `const get = (...args) => fetch(...args).then((r) => r.text(), (e) => e.name + ': ' + e.message)
      async function main() { ${body} }`,
    },
    { fetch },
  )

it('get scripted responses', async () => {
  const fetched = await run(
    `const response = await fetch('https://api.example.com/price?symbol=ETH', { headers: { 'x-a': 'b' } })
    return [response.status, response.headers.get('content-type'), await response.json()]`,
    { [PRICE]: { status: 203, json: { price: '3120.50' } } },
  )
  expect(fetched).toRespondWith([203, 'application/json', { price: '3120.50' }])
  expect(fetched.requests).toEqual([
    {
      method: 'GET',
      url: 'https://api.example.com/price?symbol=ETH',
      headers: { accept: '*/*', 'user-agent': 'svc-action/1', 'x-a': 'b' },
      body: '',
      status: 203,
    },
  ])
})

it.each<[route: string, isMatch: boolean]>([
  ['https://api.example.com/a?b=1', true],
  ['post https://API.example.com/a?b=1', true],
  ['https://api.example.com/*', true],
  ['https://*.example.com/a*', true],
  ['*', false],
  ['GET https://api.example.com/a?b=1', false],
  ['https://api.example.com/a', false],
  ['https://api.example.com/a?b=', false],
  ['https://api-example.com/a?b=1', false],
])('match the route %s: %s', async (route, isMatch) => {
  const asked = run(`return get('https://api.example.com/a?b=1', { method: 'POST' })`, {
    [route]: { text: 'found' },
  })
  if (isMatch) expect(await asked).toRespondWith('found')
  else await expect(asked).rejects.toThrow(route === '*' ? 'expected a route' : 'no response')
})

it('without a response fail the test, even if the action handles the error', async () => {
  const asked = run(`return get('https://api.example.com/other')`, { [PRICE]: { text: '' } })
  await expect(asked).rejects.toMatchObject({
    name: 'UnscriptedRequestError',
    message: `the action sent GET https://api.example.com/other, to which the test has no response. The routes are:\n  ${PRICE}`,
  })
})

it('get the responses of a list in order', async () => {
  const twice = `return [await get('https://a.example/'), await get('https://a.example/')]`
  const replies = [{ text: 'first' }, { status: 500, text: 'second' }]
  const route = 'https://a.example/'
  expect(await run(twice, { [route]: replies })).toRespondWith(['first', 'second'])
  await expect(run(twice, { [route]: replies.slice(1) })).rejects.toThrow(
    'All responses of the route https://a.example/ have been used.',
  )
})

it('are passed to a handler, which may return a Response', async () => {
  const rpc = `return get('https://rpc.example/', { method: 'POST', body: JSON.stringify({ id: 7 }) })`
  const handled = await run(rpc, {
    'POST https://rpc.example/': async (request) => {
      const { id } = request.json() as { id: number }
      return id === 7 ? new Response(request.body) : { status: 404 }
    },
  })
  expect(handled).toRespondWith('{"id":7}')
  expect(handled).toHaveRequested('POST https://rpc.example/', { id: 7 })
  expect(handled).not.toHaveRequested('POST https://rpc.example/', { id: 8 })
})

it('fail the test with the error of a handler', async () => {
  const handler = () => {
    throw new Error('a mistake in the test')
  }
  const asked = run(`return get('https://a.example/')`, { 'https://a.example/': handler })
  await expect(asked).rejects.toThrow('a mistake in the test')
})

it('can fail', async () => {
  const failed = await run(`return get('https://a.example/')`, {
    'https://a.example/': { networkError: 'a.example refused the connection' },
  })
  expect(failed).toRespondWith('TypeError: a.example refused the connection')
})

it('follow redirects, like in production', async () => {
  const redirected = await run(
    `const r = await fetch('https://a.example/'); return [r.redirected, r.url, await r.text()]`,
    {
      'https://a.example/': { status: 302, headers: { Location: 'https://b.example/c' } },
      'https://b.example/c': { text: 'here' },
    },
  )
  expect(redirected).toRespondWith([true, 'https://b.example/c', 'here'])
  expect(redirected.requests.map(({ status }) => status)).toEqual([302, 200])
})

it.each([
  ['http://127.0.0.1:8545/', '127.0.0.1:8545 is not a public address'],
  ['http://localhost/', 'localhost is a local network name'],
  ['ftp://a.example/', 'only http and https URLs can be fetched'],
])('to %s are rejected, like in production', async (url, message) => {
  const refused = await run(`return get('${url}')`, { 'http://*': { text: 'reached' } })
  expect(refused).toRespondWith(expect.stringContaining(message))
  expect(refused.requests).toEqual([])
})

it('are limited, like in production', async () => {
  const routes = {
    'https://a.example/': { text: '' },
    'https://large.example/': { bytes: new Uint8Array(1_000_001) },
  }
  const many = await run(`for (;;) await fetch('https://a.example/')`, routes)
  expect(many).toFailWith('outbound_limit')
  expect(many.requests).toHaveLength(50)
  const large = await run(`await fetch('https://large.example/')`, routes)
  expect(large).toFailWith('outbound_response_too_large')
})

it('are sent ten at once, like in production, and their delays overlap', async () => {
  const sent = await run(
    `await Promise.all(Array.from({ length: 25 }, () => get('https://a.example/')))
    return performance.now()`,
    { 'https://a.example/': { delayMs: 1000 } },
  )
  expect(sent).toRespondWith(3000)
})

it('get encoded responses decoded, like in production', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const routes = {
    'https://a.example/': { headers, bytes: gzipSync('decoded') },
    'https://b.example/': { headers, text: 'plain' },
    'https://c.example/': { headers, bytes: gzipSync('a'.repeat(1_000_001)) },
  }
  expect(await run(`return get('https://a.example/')`, routes)).toRespondWith('decoded')
  const invalid = await run(`return get('https://b.example/')`, routes)
  expect(invalid).toRespondWith('TypeError: the response of b.example is not valid gzip')
  const bomb = await run(`await fetch('https://c.example/')`, routes)
  expect(bomb).toFailWith('outbound_response_too_large')
})

it('fail if the response is later than production waits', async () => {
  const late = await run(`return [await get('https://a.example/'), performance.now()]`, {
    'https://a.example/': { delayMs: 110_000, text: 'late' },
  })
  expect(late).toRespondWith(['TypeError: a.example did not respond within 100 s', 100_000])
})

it('refuse headers that no server can send', async () => {
  const headers = { 'x-price': '3 €' }
  const asked = run(`return get('https://a.example/')`, { 'https://a.example/': { headers } })
  await expect(asked).rejects.toThrow('fetch["https://a.example/"].headers: ')
})
