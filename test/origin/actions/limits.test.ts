import { describe, expect, it } from 'vitest'
import { LOGS_MAX_BYTES, PARAMS_MAX_BYTES, SOURCE_MAX_BYTES } from '../../../shared/limits.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const TRIVIAL = 'async function main() { return 1 }'

describe('the wall clock stops', () => {
  it.each([
    ['an endless loop', 'for (;;);'],
    ['a loop that catches everything', 'for (;;) { try { for (;;); } catch {} }'],
    ['endless microtasks', 'for (;;) await null'],
    ['endless timers', 'for (;;) await new Promise((done) => setTimeout(done, 0))'],
    ['a thenable that never returns', 'return { then() { for (;;); } }'],
    ['waiting', 'await new Promise((done) => setTimeout(done, 60000))'],
    ['a regular expression that backtracks', '/^(a+)+$/.test("a".repeat(40) + "b")'],
  ])('%s', async (_name, body) => {
    const code = `console.log('begun'); async function main() { ${body} }`
    const result = failed(await sandbox.run(code, { wallMs: 300 }))
    expect(result).toMatchObject({ code: 'action_timeout' })
    expect(result.message).toBe('the action was stopped after 0.3 s of time')
    expect(result.logs.map(({ text }) => text)).toEqual(['begun'])
    expect(result.durationMs).toBeGreaterThanOrEqual(300)
  })

  it('an endless loop outside main', async () => {
    expect(failed(await sandbox.run('for (;;);', { wallMs: 200 })).code).toBe('action_timeout')
  })

  it.each([
    ['includes over 2^53 elements', '[].includes.call({ length: 2 ** 53 - 1 }, 1)'],
    ['copies of a large buffer', 'for (const b = new Uint8Array(1 << 24); ; ) b.copyWithin(0, 1)'],
    ['hashes by the host', 'for (;;) ethers.utils.keccak256(new Uint8Array(1 << 16))'],
  ])('a built-in that never checks the clock, and keeps the output: %s', async (_name, body) => {
    const code = `async function main() { console.log('begun'); ${body} }`
    const before = sandbox.events.length
    const result = failed(await sandbox.run(code, { wallMs: 200 }))
    expect(result.code).toBe('action_timeout')
    expect(result.logs.map(({ text }) => text)).toEqual(['begun'])
    expect(returned(await sandbox.run(TRIVIAL)).value).toBe('1')
    const ends = sandbox.events.slice(before).filter(({ type }) => type === 'executor_ended')
    expect(ends).toEqual([])
  })
})

it('CPU time has its own limit, and waiting does not count towards it', async () => {
  const limits = { wallMs: 20_000, cpuMs: 150 }
  const busy = failed(await sandbox.run('async function main() { for (;;); }', limits))
  expect(busy).toMatchObject({ code: 'action_timeout' })
  expect(busy.message).toContain('0.15 s of CPU time')
  const waits = 'const main = () => new Promise((done) => setTimeout(done, 400))'
  const waited = returned(await sandbox.run(waits, limits))
  expect(waited.durationMs).toBeGreaterThanOrEqual(399)
  expect(waited.cpuMs).toBeLessThan(150)
})

describe('memory', () => {
  it.each([
    ['buffers', 'const a = []; for (;;) a.push(new ArrayBuffer(1e6))'],
    ['objects', 'const a = []; for (;;) a.push({})'],
    [
      'strings that a global keeps',
      'globalThis.a = []; for (;;) a.push("x".repeat(1e5) + a.length)',
    ],
    ['property names', 'const a = {}; for (let i = 0; ; i++) a["key" + i] = i'],
    ['a set', 'const a = new Set(); for (let i = 0; ; i++) a.add("key" + i)'],
  ])('exhausted by %s ends the run with out_of_memory', async (_name, body) => {
    const result = failed(await sandbox.run(`async function main() { ${body} }`))
    expect(result).toMatchObject({ code: 'out_of_memory' })
    expect(result.message).toContain('64 MiB')
  })

  it('that an action frees again does not fail the run', async () => {
    const code = `async function main() {
      try { const a = []; for (;;) a.push(new ArrayBuffer(1e6)) } catch {}
      return 'recovered'
    }`
    expect(await sandbox.value(code)).toBe('recovered')
  })
})

describe('size', () => {
  it('runs source and params of the maximum size', async () => {
    const params = JSON.stringify({ text: 'p'.repeat(PARAMS_MAX_BYTES - 20) })
    const main = 'const main = ({ text }) => text.length'
    const code = `/*${'c'.repeat(SOURCE_MAX_BYTES - main.length - 4)}*/${main}`
    expect(returned(await sandbox.run(code, { params })).value).toBe(String(PARAMS_MAX_BYTES - 20))
  })

  it("ends a run with out_of_memory if its source or params do not fit into the action's memory", async () => {
    const params = JSON.stringify({ list: Array.from({ length: 1e6 }, () => [{}]) })
    const result = failed(await sandbox.run(TRIVIAL, { params }))
    expect(result.code).toBe('out_of_memory')
    const code = `${TRIVIAL}/*${'c'.repeat(60 * 1024 * 1024)}*/`
    expect(failed(await sandbox.run(code)).code).toBe('out_of_memory')
  })
})

describe('console output', () => {
  it('is kept in order, with level and time', async () => {
    const code = `async function main() {
      console.log('a', 1, { b: [2n], c: undefined }); console.warn(null, undefined)
      await new Promise((done) => setTimeout(done, 20)); console.error(new RangeError('out'))
    }`
    const { logs } = returned(await sandbox.run(code))
    expect(logs.map(({ level }) => level)).toEqual(['log', 'warn', 'error'])
    expect(logs.map(({ text }) => text.split('\n')[0])).toEqual([
      'a 1 {"b":["2n"]}',
      'null undefined',
      'RangeError: out',
    ])
    expect(logs[2]?.at_ms).toBeGreaterThanOrEqual(19)
  })

  it('shows hostile and cyclic values without failing', async () => {
    const code = `async function main() {
      const a = {}; a.a = a
      console.log(a); console.log({ toJSON() { throw 1 } }); console.log(Object.create(null), Symbol('s'))
    }`
    const { logs } = returned(await sandbox.run(code))
    expect(logs.map(({ text }) => text)).toEqual([
      '{"a":"[circular]"}',
      '[object that cannot be shown]',
      '{} Symbol(s)',
    ])
  })

  it.each([
    ['many lines', 'for (let i = 0; i < 1e5; i++) console.log("0123456789")'],
    ['one long line', 'console.log("é".repeat(1e6))'],
    ['empty lines', 'for (let i = 0; i < 3e5; i++) console.log()'],
  ])('of %s is truncated with a notice, and the run continues', async (_name, body) => {
    const { logs, value } = returned(
      await sandbox.run(`async function main() { ${body}; return 'done' }`),
    )
    expect(value).toBe('"done"')
    expect(logs.at(-1)?.text).toMatch(/^\[console output truncated/)
    const bytes = logs.slice(0, -1).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    expect(bytes).toBeLessThanOrEqual(LOGS_MAX_BYTES)
    expect(logs.length).toBeLessThanOrEqual(10_002)
    expect(JSON.stringify(logs)).not.toContain('\ufffd')
  })
})

it('timers fire in order, can be cleared, and are limited in number', async () => {
  const code = `async function main() {
    const order = []
    setTimeout((x) => order.push(x), 30, 'c'); setTimeout(() => order.push('a'), 1)
    clearTimeout(setTimeout(() => order.push('never'), 5)); setTimeout(() => order.push('b'), 10)
    await new Promise((done) => setTimeout(done, 60))
    let error; try { for (;;) setTimeout(() => {}, 1e6) } catch (e) { error = e.message }
    return [order, error]
  }`
  const value = [['a', 'b', 'c'], 'setTimeout: at most 1000 timers at once']
  expect(await sandbox.value(code)).toEqual(value)
})
