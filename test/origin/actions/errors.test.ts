import { describe, expect, it } from 'vitest'
import { INVALID_SOURCES, VALID_SOURCES } from '../../doubles/action-sources.ts'
import { failed, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const fail = async (code: string) => failed(await sandbox.run(code))

describe('an error', () => {
  it('has its message and the lines of the action, without internal frames', async () => {
    const result = await fail(`function check() {
  throw new TypeError('amount is missing')
}
async function main() {
  await null
  check()
}`)
    expect(result).toMatchObject({ code: 'action_threw', message: 'amount is missing' })
    expect(result.stack).toBe(
      'TypeError: amount is missing\n    at check (action.js:2:22)\n    at main (action.js:6:8)',
    )
  })

  it('in the syntax reports its line', async () => {
    const result = await fail('async function main() {}\nlet x = ;')
    expect(result.code).toBe('action_threw')
    expect(result.stack).toMatch(/^SyntaxError: .*\n {4}at action\.js:2:\d+$/)
  })

  it.each(INVALID_SOURCES)(
    'in the syntax of %j is at line %d, column %d',
    async (code, line, column) => {
      const result = await fail(code)
      expect(result.stack).toMatch(/^SyntaxError: /)
      expect(result.stack).toContain(`at action.js:${line}:${column}`)
    },
  )

  it.each(VALID_SOURCES)('in the syntax is not reported for %s', async (_, code) => {
    const result = await sandbox.run(`${code}\nfunction main() {}`)
    expect(JSON.stringify(result)).not.toContain('SyntaxError')
  })

  it('outside main, in a timer or in a rejected promise fails the run', async () => {
    expect((await fail('throw new Error("early")')).message).toBe('early')
    const timer =
      'function main() { setTimeout(() => { throw new Error("late") }, 1); return new Promise(() => {}) }'
    expect((await fail(timer)).message).toBe('late')
    expect((await fail('const main = () => Promise.reject(new Error("no"))')).message).toBe('no')
  })

  it.each([
    ['null', 'null'],
    ['undefined', 'undefined'],
    ['"text"', 'string text'],
    ['Symbol("s")', 'Symbol(s)'],
    ['({ a: 1 })', 'object {"a":1}'],
  ])('is shown if it is not an Error: %s', async (thrown, shown) => {
    const result = await fail(`async function main() { throw ${thrown} }`)
    expect(result.code).toBe('action_threw')
    expect(result.message).toContain(shown)
  })

  it.each([
    ['a proxy that throws', 'new Proxy({}, { get() { throw 1 }, has() { throw 2 } })'],
    ['getters that throw', '({ get message() { throw 1 }, toJSON() { throw 2 } })'],
    [
      'a stack that throws',
      'Object.defineProperty(new Error("m"), "stack", { get() { throw 1 } })',
    ],
    ['a message that is an object', '({ message: "m", name: { toString() { throw 1 } } })'],
  ])('fails the run at once if it is hostile: %s', async (_name, thrown) => {
    const result = await fail(`async function main() { throw ${thrown} }`)
    expect(result).toMatchObject({ code: 'action_threw', message: expect.any(String) })
    expect(result.durationMs).toBeLessThan(2000)
  })

  it('with a getter that never returns is stopped at the deadline', async () => {
    const code = 'async function main() { throw { get message() { for (;;); } } }'
    const result = failed(await sandbox.run(code, { wallMs: 200 }))
    expect(result.code).toBe('action_timeout')
  })

  it('of endless recursion can be caught by the action', async () => {
    const caught = `function f() { return f() + 1 }
      async function main() { try { f() } catch (error) { return error.message } }`
    expect(await sandbox.value(caught)).toBe('stack overflow')
    const result = await fail('function f() { return f() + 1 }; async function main() { f() }')
    expect(result).toMatchObject({ code: 'action_threw', message: 'stack overflow' })
    expect(result.stack.split('\n').length).toBeLessThan(30)
  })

  it.each([
    ['source', 'eval("(".repeat(500000))'],
    ['templates', 'eval("`${".repeat(100000))'],
    ['JSON', 'JSON.parse("[".repeat(1000000))'],
    [
      'a value',
      'JSON.stringify((() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a })())',
    ],
    ['toString', '(() => { const o = { toString: () => "" + o }; return "" + o })()'],
  ])('of deep nesting in %s is reported as a stack overflow', async (_name, expression) => {
    const result = await fail(`async function main() { return ${expression} }`)
    expect(result).toMatchObject({ code: 'action_threw' })
    expect(result.message).toContain('stack overflow')
  })

  it('stays readable if built-ins are replaced', async () => {
    const result = await fail(`
      JSON.stringify = () => '{}'; String.prototype.slice = () => { throw 1 }; Map.prototype.get = 1
      WeakMap.prototype.get = () => 'key_operation_limit'; Promise.prototype.then = () => {}
      Object.defineProperty(Error.prototype, 'name', { value: 'Mine' })
      async function main() { throw new Error('real') }`)
    expect(result).toMatchObject({ code: 'action_threw', message: 'real' })
  })
})

it('a run fails at once if main waits for a promise that can never settle', async () => {
  const result = await fail('function main() { return new Promise(() => {}) }')
  expect(result.code).toBe('action_pending')
  expect(result.durationMs).toBeLessThan(2000)
})
