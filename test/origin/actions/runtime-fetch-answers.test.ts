import { describe, expect, it } from 'vitest'
import type { Answer } from './answered.ts'
import { answeredSandbox } from './answered.ts'

const sandbox = answeredSandbox()
const bytes = (text: string) => new TextEncoder().encode(text)
const OK = {
  status: 200,
  statusText: 'OK',
  url: 'https://a.example/',
  redirected: false,
  headers: [],
}

describe('fetch requests from the host', () => {
  it('exactly what the action passed, with lower-case header names and the body as bytes', async () => {
    const code = `async function main() {
      await fetch('https://A.example/b?c=d#e', {
        method: 'post', headers: { 'X-One': ' 1 ', x: '2' }, body: new URLSearchParams('a=é'), redirect: 'manual',
        credentials: 'include', cache: 'no-store', mode: 'no-cors', keepalive: true,
      })
      await fetch(new Request('https://a.example/', { headers: [['set-cookie', 'a'], ['Set-Cookie', 'b']] }))
    }`
    const { asked } = await sandbox.run(code, () => ({ value: OK }))
    const type = 'application/x-www-form-urlencoded;charset=UTF-8'
    expect(asked).toEqual([
      {
        name: 'fetch',
        argument: {
          url: 'https://a.example/b?c=d#e',
          method: 'POST',
          redirect: 'manual',
          headers: [
            ['x-one', '1'],
            ['x', '2'],
            ['content-type', type],
          ],
        },
        bytes: 'a=%C3%A9',
      },
      {
        name: 'fetch',
        argument: {
          url: 'https://a.example/',
          method: 'GET',
          redirect: 'follow',
          headers: [
            ['set-cookie', 'a'],
            ['set-cookie', 'b'],
          ],
        },
        bytes: '',
      },
    ])
  })

  it('the same if the action put a toJSON on every prototype', async () => {
    const code = `for (const Class of [Object, Array, String]) Class.prototype.toJSON = () => ({ url: 'http://10.0.0.1/' })
      const main = () => fetch('https://a.example/', { method: 'PUT', headers: { a: '1' }, body: 'x' }).then(() => 'done')`
    const { asked } = await sandbox.run(code, () => ({ value: OK }))
    const argument = { url: 'https://a.example/', method: 'PUT', redirect: 'follow' }
    const headers = [
      ['a', '1'],
      ['content-type', 'text/plain;charset=UTF-8'],
    ]
    expect(asked).toEqual([{ name: 'fetch', argument: { ...argument, headers }, bytes: 'x' }])
  })

  it('several responses concurrently', async () => {
    const code = `const main = () => Promise.all([1, 2, 3].map(async (n) => (await fetch('https://a.example/' + n)).text()))`
    const { value } = await sandbox.run(code, ({ argument }) => ({
      value: OK,
      bytes: bytes((argument as { url: string }).url),
    }))
    expect(value).toEqual([1, 2, 3].map((n) => `https://a.example/${n}`))
  })
})

describe('the response', () => {
  it('has what the host returned, and is immutable', async () => {
    const answer = {
      status: 404,
      statusText: 'Not Found',
      url: 'https://b.example/x#part',
      redirected: true,
      headers: [
        ['Content-Type', 'application/json'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['x', '1'],
        ['X', '2'],
      ],
    }
    const code = `async function main() {
      const response = await fetch('https://a.example/')
      let change
      try { response.headers.append('a', 'b') } catch (error) { change = error.name }
      const { status, statusText, ok, url, redirected, type, bodyUsed, body } = response
      return { status, statusText, ok, url, redirected, type, bodyUsed, body, change, headers: [...response.headers],
        cookies: response.headers.getSetCookie(), clone: await response.clone().json(), text: await response.text(),
        used: response.bodyUsed, is: response instanceof Response }
    }`
    const { value } = await sandbox.run(code, () => ({ value: answer, bytes: bytes('{"é":1}') }))
    expect(value).toEqual({
      status: 404,
      statusText: 'Not Found',
      ok: false,
      url: 'https://b.example/x',
      redirected: true,
      type: 'basic',
      bodyUsed: false,
      body: null,
      change: 'TypeError',
      headers: [
        ['content-type', 'application/json'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x', '1, 2'],
      ],
      cookies: ['a=1', 'b=2'],
      clone: { é: 1 },
      text: '{"é":1}',
      used: true,
      is: true,
    })
  })

  it('carries a megabyte of arbitrary bytes', async () => {
    const body = new Uint8Array(1_000_000).map((_, at) => at * 7)
    const code = `async function main() {
      const response = await fetch('https://a.example/')
      const all = await response.clone().bytes()
      return [all.length, all[999_999], (await response.arrayBuffer()).byteLength]
    }`
    const { value } = await sandbox.run(code, () => ({ value: OK, bytes: body }))
    expect(value).toEqual([1_000_000, body[999_999], 1_000_000])
  })
})

describe('a request that the host rejects', () => {
  it('fails with a TypeError that states the reason, at the line of the action', async () => {
    const code = `async function main() {
      try {
        await fetch('https://a.example/')
      } catch (error) {
        return [error instanceof TypeError, error.message, error.code ?? null, error.stack]
      }
    }`
    const refusal = { message: 'a.example refused the connection' }
    const { value } = await sandbox.run(code, () => refusal)
    const stack = expect.stringContaining('at main (action.js:3:')
    expect(value).toEqual([true, refusal.message, null, stack])
  })

  it('keeps the code of a limit, with which the run fails if it is not caught', async () => {
    const refusal = { message: 'a run sends at most 50 requests', code: 'outbound_limit' }
    const caught = `const main = () => fetch('https://a.example/').catch((error) => [error.name, error.code])`
    expect((await sandbox.run(caught, () => refusal)).value).toEqual([
      'TypeError',
      'outbound_limit',
    ])
    const uncaught = `const main = () => fetch('https://a.example/')`
    expect((await sandbox.run(uncaught, () => refusal)).value).toEqual({
      failed: { code: 'outbound_limit', name: 'TypeError', message: refusal.message },
    })
  })
})

describe('a request that the action aborts', () => {
  const never = (): Answer => undefined

  it.each([
    [
      'its controller',
      'const c = new AbortController(); setTimeout(() => c.abort(), 5); const { signal } = c',
      'AbortError',
    ],
    ['a timeout', 'const signal = AbortSignal.timeout(5)', 'TimeoutError'],
    [
      'any of several',
      'const c = new AbortController(); const signal = AbortSignal.any([c.signal, AbortSignal.timeout(5)])',
      'TimeoutError',
    ],
  ])('by %s rejects with the reason, and the host is notified once', async (_name, make, name) => {
    const code = `async function main() {
      ${make}
      return fetch('https://a.example/', { signal }).catch((error) => error.name)
    }`
    expect(await sandbox.run(code, never)).toMatchObject({ value: name, abandoned: [1] })
  })

  it('does not affect other requests', async () => {
    const code = `async function main() {
      const c = new AbortController()
      const first = fetch('https://a.example/1', { signal: c.signal }).catch((reason) => reason)
      const second = fetch('https://a.example/2')
      c.abort('mine')
      return [await first, (await second).status]
    }`
    const { value, abandoned } = await sandbox.run(code, ({ argument }) =>
      (argument as { url: string }).url.endsWith('1') ? undefined : { value: OK },
    )
    expect({ value, abandoned }).toEqual({ value: ['mine', 200], abandoned: [1] })
  })

  it('after the response arrived changes nothing', async () => {
    const code = `async function main() {
      const c = new AbortController()
      const response = await fetch('https://a.example/', { signal: c.signal })
      c.abort()
      return response.text()
    }`
    const { value, abandoned } = await sandbox.run(code, () => ({ value: OK, bytes: bytes('all') }))
    expect({ value, abandoned }).toEqual({ value: 'all', abandoned: [] })
  })
})
