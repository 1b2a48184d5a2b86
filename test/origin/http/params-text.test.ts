/** An action gets `js_params` as the text that was sent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const CODE = JSON.stringify('async function main(params) { return Object.entries(params) }')
const send = async (text: string) => {
  const { status, body } = await origin.core('svc_action', { key, text })
  return status === 200 ? body.response : [status, body.error]
}

describe('a body is parsed as JSON.parse does', () => {
  it.each<[string, string, unknown]>([
    [
      'the last of two members counts',
      `{"js_params":{"a":1},"code":${CODE},"js_params":{"b":2}}`,
      [['b', 2]],
    ],
    [
      'the last of two names in params counts',
      `{"code":${CODE},"js_params":{"a":1,"a":2}}`,
      [['a', 2]],
    ],
    ['a name may be in escapes', `{"c\\u006Fde":${CODE},"js\\u005fparams":{"a":1}}`, [['a', 1]]],
    [
      '__proto__ is data',
      `{"code":${CODE},"js_params":{"__proto__":{"a":1}}}`,
      [['__proto__', { a: 1 }]],
    ],
    ['__proto__ beside them is passed over', `{"__proto__":{"js_params":1},"code":${CODE}}`, []],
    ['a byte order mark is dropped', `\ufeff{"code":${CODE},"js_params":{}}`, []],
    [
      'numbers keep their digits',
      `{"code":${CODE},"js_params":{"a":1e-7,"b":-0.0}}`,
      [
        ['a', 1e-7],
        ['b', 0],
      ],
    ],
    ['params may be left out', ` \n{"code":${CODE}}\t`, []],
    ['params are an object', `{"code":${CODE},"js_params":"{}"}`, [422, 'unprocessable_entity']],
    ['the body is an object', `[${CODE}]`, [422, 'unprocessable_entity']],
    ['what comes after it is no JSON', `{"code":${CODE}}x`, [400, 'bad_request']],
    ['params are JSON', `{"code":${CODE},"js_params":{"a":01}}`, [400, 'bad_request']],
    ['an unknown field is JSON too', `{"code":${CODE},"other":[1,]}`, [400, 'bad_request']],
  ])('%s', async (_rule, text, expected) => {
    expect(await send(text)).toEqual(expected)
  })

  it('is rejected in another encoding or with another content type', async () => {
    const post = (body: Uint8Array<ArrayBuffer> | string, type: string) =>
      origin.app.request('/core/v1/svc_action', {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': type },
        body,
      })
    const latin1 = Uint8Array.from(Buffer.from(`{"code":${CODE},"js_params":{"a":"é"}}`, 'latin1'))
    expect((await post(latin1, 'application/json')).status).toBe(400)
    expect((await post(`{"code":${CODE}}`, 'text/html')).status).toBe(415)
  })
})

it('millions of names in params do not delay other requests', async () => {
  const names = Array.from({ length: 700_000 }, (_, n) => `"k${n}":1`).join()
  const large = `{"code":"async function main() { return 1 }","js_params":{${names}}}`
  let latest = 0
  let at = performance.now()
  const ticking = setInterval(() => {
    latest = Math.max(latest, performance.now() - at)
    at = performance.now()
  }, 5)
  const began = performance.now()
  JSON.parse(large)
  const parsing = performance.now() - began
  at = performance.now()
  await origin.core('svc_action', { key, text: `${large.slice(0, -1)},"other":[${large}]}` })
  clearInterval(ticking)
  expect(latest).toBeLessThan(Math.max(500, parsing * 2))
})
