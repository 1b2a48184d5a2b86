import { describe, expect, it } from 'vitest'
import { RESULT_MAX_BYTES } from '../../../shared/limits.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const echo = 'async function main(params) { return params }'

describe('params', () => {
  it('reach main unchanged', async () => {
    const params = { a: [1, 2.5, null, true], text: 'é 😀 \u2028', deep: { x: {} } }
    expect(await sandbox.value(echo, params)).toEqual(params)
  })

  it('preserve NUL and lone surrogates', async () => {
    const params = { nul: 'a\0b', half: '\ud83d', other: '\udc00x' }
    expect(await sandbox.value(echo, params)).toEqual(params)
  })

  it('preserve a lone surrogate that is not escaped in the JSON', async () => {
    const result = await sandbox.run(echo, { params: '{"half":"\ud83d"}' })
    expect(JSON.parse(returned(result).value)).toEqual({ half: '\ud83d' })
  })

  it('prototype pollution: a key named __proto__ changes no prototype', async () => {
    const code = `async function main(params) {
      return { own: Object.keys(params), admin: params.admin ?? 'unset', plain: {}.admin ?? 'unset' }
    }`
    const result = await sandbox.run(code, { params: '{"__proto__":{"admin":true}}' })
    const value = { own: ['__proto__'], admin: 'unset', plain: 'unset' }
    expect(JSON.parse(returned(result).value)).toEqual(value)
    const back = await sandbox.run(echo, { params: '{"__proto__":{"admin":true}}' })
    expect(returned(back).value).toBe('{"__proto__":{"admin":true}}')
  })

  it('that are not JSON fail the run before any code of the action runs', async () => {
    const result = failed(await sandbox.run('console.log("ran")', { params: '{"a":' }))
    expect(result).toMatchObject({ code: 'invalid_params', logs: [] })
  })
})

describe('source', () => {
  it('can define main as a constant', async () => {
    expect(await sandbox.value('const main = async ({ a }) => a + 1', { a: 1 })).toBe(2)
  })

  it('can contain a NUL inside a string', async () => {
    expect(await sandbox.value('const s = "a\0b"; function main() { return s.length }')).toBe(3)
  })

  it('without main fails with a message that says so', async () => {
    const result = failed(await sandbox.run('const other = 1'))
    expect(result).toMatchObject({ code: 'no_main', message: expect.stringContaining('main') })
  })
})

describe('a returned value', () => {
  it.each([
    ['undefined', 'null'],
    ['null', 'null'],
    ['[new Map([[1, NaN]]), new Set([1]), new Error("no")]', '[{},{},{}]'],
    ['[new Date(0), new Number(1), -0]', '["1970-01-01T00:00:00.000Z",1,0]'],
    ['({ toJSON: () => "text", amount: NaN })', '"text"'],
    ['({ list: Object.assign([1], { amount: NaN }) })', '{"list":[1]}'],
    ['"\\0\\ud800"', '"\\u0000\\ud800"'],
    ['({ kept: 1, dropped: undefined, method() {} })', '{"kept":1}'],
    ['ethers.BigNumber.from(5)', '{"type":"BigNumber","hex":"0x05"}'],
  ])('%s becomes %s', async (expression, json) => {
    const result = await sandbox.run(`async function main() { return ${expression} }`)
    expect(returned(result).value).toBe(json)
  })

  it.each([
    ['1n', 'response is a BigInt; JSON cannot carry it, return a string'],
    [
      '({ items: [0, 1, { amount: 3n }] })',
      'response.items[2].amount is a BigInt; JSON cannot carry it, return a string',
    ],
    ['({ "a b": [1n] })', 'response["a b"][0] is a BigInt; JSON cannot carry it, return a string'],
    ['() => 1', 'response is a function; JSON cannot carry it'],
    ['Symbol()', 'response is a symbol; JSON cannot carry it'],
    [
      '(() => { const a = { b: {} }; a.b.c = [a]; return a })()',
      'response.b.c[0] refers to an object that contains it; JSON cannot carry a cycle',
    ],
    ['NaN', 'response is NaN; JSON cannot carry it, return null or a string'],
    ['Infinity', 'response is Infinity; JSON cannot carry it, return null or a string'],
    ['[1, NaN]', 'response[1] is NaN; JSON cannot carry it, return null or a string'],
    [
      '({ a: { b: -Infinity } })',
      'response.a.b is -Infinity; JSON cannot carry it, return null or a string',
    ],
    [
      '({ boxed: new Number(NaN) })',
      'response.boxed is NaN; JSON cannot carry it, return null or a string',
    ],
    [
      '({ rate: { toJSON: () => 0 / 0 } })',
      'response.rate is NaN; JSON cannot carry it, return null or a string',
    ],
  ])('%s causes an error that names its path', async (expression, message) => {
    const result = failed(await sandbox.run(`async function main() { return ${expression} }`))
    expect(result).toMatchObject({ code: 'result_not_json', message })
  })

  it('is checked with the original built-ins', async () => {
    const code = `async function main() {
      Number.isFinite = globalThis.isFinite = () => true
      String.prototype.indexOf = () => -1
      Number.prototype.valueOf = () => 1
      return { a: [NaN] }
    }`
    const message = expect.stringContaining('response.a[0] is NaN;')
    expect(failed(await sandbox.run(code))).toMatchObject({ code: 'result_not_json', message })
  })

  it('does not change how the console shows non-finite numbers', async () => {
    const code = 'async function main() { console.log(NaN, -Infinity, { a: NaN }); return "null" }'
    const result = await sandbox.run(code)
    const texts = returned(result).logs.map(({ text }) => text)
    expect(texts).toEqual(['NaN -Infinity {"a":null}'])
  })

  it('can contain the same object twice', async () => {
    const code = 'async function main() { const a = { b: 1 }; return [a, { a }] }'
    expect(await sandbox.value(code)).toEqual([{ b: 1 }, { a: { b: 1 } }])
  })

  it("with a toJSON that throws fails with the action's error", async () => {
    const code = `async function main() {\n  return { toJSON() { throw new Error('mine') } }\n}`
    const result = failed(await sandbox.run(code))
    expect(result).toMatchObject({ code: 'action_threw', message: 'mine' })
    expect(result.stack).toContain('action.js:2:')
  })

  it.each([
    ['"x".repeat(n - 2)', 'returned'],
    ['"x".repeat(n - 1)', 'result_too_large'],
    ['"é".repeat(n / 2)', 'result_too_large'],
  ])('%s, with n bytes allowed: %s', async (expression, outcome) => {
    const n = `const n = ${RESULT_MAX_BYTES};`
    const result = await sandbox.run(`${n} async function main() { return ${expression} }`)
    expect(result.kind === 'failed' ? result.code : result.kind).toBe(outcome)
  })
})
