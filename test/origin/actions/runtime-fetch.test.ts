import { describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
/** Number of body kinds. The bodies are created inside the probe, because it is sent to the sandbox as text. */
const BODIES = 14

describe('a body', () => {
  it('of any kind is read, and has the content type, as in Node', () =>
    sameAsNode(
      sandbox,
      Array.from({ length: BODIES }, (_, at) => at),
      async (kind) => {
        const buffer = new TextEncoder().encode('\ufeff{"a":"é"}').buffer
        const bodies: unknown[] = [
          '{"a":[1,2]}',
          '',
          null,
          undefined,
          new URLSearchParams('a=1&b=é ü'),
          buffer,
          new Uint8Array(buffer, 3),
          new DataView(buffer, 3, 4),
          5,
          true,
          '\ud800 half',
          { toString: () => '"text"' },
          new URL('https://a.example/'),
          'not json',
        ]
        const body = bodies[kind] as string
        const made = () => new Response(body)
        const json = await made()
          .json()
          .catch((error: Error) => error.name)
        const request = new Request('https://a.example/', { method: 'POST', body })
        return [
          await made().text(),
          json,
          [...new Uint8Array(await made().arrayBuffer())],
          [...(await made().bytes())],
          made().headers.get('content-type'),
          await request.clone().text(),
          request.headers.get('content-type'),
          request.bodyUsed,
        ]
      },
    ))

  it('can be read only once unless it was cloned, as in Node', () =>
    sameAsNode(sandbox, ['text', '', null], async (body) => {
      const response = new Response(body)
      const clone = response.clone()
      const seen: unknown[] = [response.bodyUsed, await response.text(), response.bodyUsed]
      const again = () => response.text().catch((error: Error) => error.name)
      seen.push(await again(), clone.bodyUsed, await clone.text())
      try {
        seen.push(response.clone().status)
      } catch (error) {
        seen.push((error as Error).name)
      }
      return seen
    }))

  it('is a copy of its source', async () => {
    const code = `async function main() {
      const bytes = new Uint8Array([97, 98])
      const response = new Response(bytes)
      const clone = response.clone()
      bytes[0] = 120
      new Uint8Array(await response.arrayBuffer())[1] = 120
      return clone.text()
    }`
    expect(await sandbox.value(code)).toBe('ab')
  })

  it.each([
    ['a stream', '{ getReader() {} }'],
    ['an async iterable', '(async function* () {})()'],
    ['FormData', '{ [Symbol.toStringTag]: "FormData" }'],
    ['a Blob', '{ [Symbol.toStringTag]: "Blob" }'],
  ])('cannot be %s, and the message lists the accepted types', async (_name, body) => {
    const code = `const main = () => {
      try { new Response(${body}) } catch (error) { return [error.name, error.message] }
    }`
    const message = expect.stringContaining('a body may be text, URLSearchParams')
    expect(await sandbox.value(code)).toEqual(['TypeError', message])
  })
})

describe('Response', () => {
  it('has the same members and values as in Node', () =>
    sameAsNode(
      sandbox,
      [
        {},
        { status: 404, statusText: 'Not Found' },
        { status: 201, headers: { 'X-A': '1', 'content-type': 'a/b' } },
        { status: 204 },
        { status: 199 },
        { status: 600 },
        { status: 'x' },
        { statusText: 'é\t~' },
        { statusText: 'a\nb' },
        { statusText: '€' },
        { headers: { 'a b': '1' } },
        null,
      ],
      (init) => {
        const response = new Response('body', init as ResponseInit)
        const { status, statusText, ok, type, url, redirected, bodyUsed } = response
        return [status, statusText, ok, type, url, redirected, bodyUsed, [...response.headers]]
      },
    ))

  it('is created by json, error and redirect as in Node', () =>
    sameAsNode(sandbox, [0, 1, 2, 3, 4, 5, 6, 7], async (kind) => {
      const calls = [
        () => Response.json({ a: 1 }, { status: 201, headers: { b: '2' } }),
        () => Response.json([], { headers: { 'content-type': 'x/y' } }),
        () => Response.json(undefined),
        () => Response.json({ a: 1 }, { status: 204 }),
        () => Response.error(),
        () => Response.redirect('https://a.example/b?c', 307),
        () => Response.redirect('nowhere', 302),
        () => Response.redirect('https://a.example', 200 as 302),
      ]
      const response = (calls[kind] as () => Response)()
      let change = 'may change'
      try {
        response.headers.set('x', 'y')
      } catch (error) {
        change = (error as Error).name
      }
      const { status, type, ok } = response
      return [status, type, ok, change, [...response.headers], await response.text()]
    }))

  it('has no stream as its body', async () => {
    expect(await sandbox.value('const main = () => new Response("x").body')).toBe(null)
  })
})

describe('Request', () => {
  it('has the same members and values as in Node', () =>
    sameAsNode(
      sandbox,
      [
        ['https://a.example/b?c#d', {}],
        ['https://A.example:443', { method: 'post', body: 'x', headers: { A: '1' } }],
        ['https://a.example', { method: 'purge' }],
        ['https://a.example', { method: 'PuT', redirect: 'manual' }],
        ['https://a.example', { method: 'get', body: 'x' }],
        ['https://a.example', { method: 'HEAD', body: '' }],
        ['https://a.example', { method: 'connect' }],
        ['https://a.example', { method: 'a b' }],
        ['https://a.example', { method: '' }],
        ['https://a.example', { redirect: 'maybe' }],
        ['https://a.example', { headers: { 'a b': '1' } }],
        ['https://a.example', { signal: {} }],
        [
          'https://a.example',
          { signal: null, cache: 'no-store', credentials: 'include', mode: 'cors' },
        ],
        ['https://u:p@a.example', {}],
        ['/relative', {}],
        ['', {}],
        ['https://a.example', 5],
      ] as [string, RequestInit][],
      async ([url, init]) => {
        const request = new Request(url, init)
        const { method, redirect, signal, bodyUsed } = request
        return [request.url, method, redirect, signal.aborted, bodyUsed, [...request.headers]]
      },
    ))

  it('takes over the body of another request, as in Node', () =>
    sameAsNode(sandbox, [0, 1, 2, 3], async (kind) => {
      const controller = new AbortController()
      const { signal } = controller
      const init = {
        method: 'POST',
        body: 'b',
        headers: { x: '1' },
        redirect: 'error',
        signal,
      } as const
      const first = new Request('https://a.example/', init)
      const inits: (RequestInit | undefined)[] = [
        undefined,
        { headers: { y: '2' } },
        { body: 'other', method: 'PUT' },
        { signal: null },
      ]
      const second = new Request(first, inits[kind])
      controller.abort()
      return [
        [second.url, second.method, second.redirect, [...second.headers], await second.text()],
        [first.bodyUsed, second.signal.aborted],
      ]
    }))
})

describe('fetch', () => {
  it.each([
    ['nothing', ''],
    ['no URL', '"nowhere"'],
    ['credentials in the URL', '"https://user:secret@a.example/"'],
    ['a GET with a body', '"https://a.example", { body: "x" }'],
    ['a method that is none', '"https://a.example", { method: "a b" }'],
    [
      'a header that splits the request',
      '"https://a.example", { headers: { a: "1\\r\\nhost: b" } }',
    ],
    [
      'a body that is a stream',
      '"https://a.example", { method: "POST", body: { getReader() {} } }',
    ],
    ['a URL whose toString throws', '{ toString() { throw new TypeError("mine") } }'],
  ])('given %s rejects with a TypeError instead of throwing', async (_name, given) => {
    const code = `async function main() {
      const promise = fetch(${given})
      return [promise instanceof Promise, await promise.catch((error) => error.name)]
    }`
    expect(await sandbox.value(code)).toEqual([true, 'TypeError'])
  })

  it('with an aborted signal rejects with its reason', async () => {
    const code = `async function main() {
      const caught = []
      for (const signal of [AbortSignal.abort('mine'), AbortSignal.abort()]) {
        await fetch('https://a.example', { signal }).catch((error) => caught.push(error))
        await fetch(new Request('https://a.example', { signal })).catch((error) => caught.push(error))
      }
      return caught.map((error) => error.name ?? error)
    }`
    expect(await sandbox.value(code)).toEqual(['mine', 'mine', 'AbortError', 'AbortError'])
  })

  it('credential leak: does not show a password in the URL in its error', async () => {
    const code = `const main = () => fetch('https://user:secret@a.example/').catch((error) => error.message)`
    expect(await sandbox.value(code)).not.toContain('secret')
  })
})
