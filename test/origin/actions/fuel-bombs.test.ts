import { beforeEach, describe, expect, it } from 'vitest'
import { withFuel } from '../../../origin/actions/engine/fuel.ts'
import type { TestEngine } from './fuel-engine.ts'
import { createTestEngine, stockModule, Stopped } from './fuel-engine.ts'

/** CPU time of a program, and the maximum overrun before the engine stops it. */
const DEADLINE_MS = 200
const OVERRUN_MS = 60

const fueled = withFuel(stockModule())
let engine: TestEngine
beforeEach(async () => {
  engine = await createTestEngine(fueled)
})

/**
 * Returns the CPU milliseconds from start to stop. Time in which the process is descheduled does not count as overrun.
 */
function cpuUntilStopped(code: string): number {
  const start = process.threadCpuUsage()
  engine.deadline = performance.now() + DEADLINE_MS
  expect(() => engine.run(code)).toThrow(Stopped)
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

const chain = (length: number, make: string) =>
  `let p = {}; for (let i = 0; i < ${length}; i++) p = ${make};`

describe('the deadline stops, inside the engine', () => {
  it.each([
    // A single call that does not return.
    ['an array join bomb', 'new Array(2 ** 32 - 1).join("")'],
    [
      'JSON of arrays that share their elements',
      'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a, a]; JSON.stringify(a)',
    ],
    [
      'JSON of objects that share their properties',
      'let a = {}; for (let i = 0; i < 40; i++) a = { a, b: a }; JSON.stringify(a)',
    ],
    ['includes over 2^53 elements', '[].includes.call({ length: 2 ** 53 - 1 }, 1)'],
    ['indexOf over holes', '[].indexOf.call(new Array(2 ** 32 - 1), 1)'],
    ['lastIndexOf over 2^53 elements', '[].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'],
    ['reverse over 2^52 elements', '[].reverse.call({ length: 2 ** 52 })'],
    [
      'flat of shared arrays',
      'let a = []; for (let i = 0; i < 40; i++) a = [a, a]; a.flat(Infinity)',
    ],
    [
      'the text of shared arrays',
      'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; String(a)',
    ],
    [
      'a search that nearly matches everywhere',
      'for (;;) "a".repeat(5e6).includes("a".repeat(2e6) + "b")',
    ],
    ['normalize', 'for (;;) ("a" + "\\u0301\\u0327".repeat(5e5)).normalize("NFD")'],
    ['a power of BigInt', 'for (;;) 3n ** 600000n'],
    ['the digits of a BigInt', 'for (;;) String((1n << 1000000n) - 1n)'],
    ['a BigInt of many digits', 'for (;;) BigInt("9".repeat(250000))'],
    ['large sources', 'for (;;) (0, eval)("a=1;".repeat(1.5e5))'],
    ['String.raw over 2^53 parts', 'String.raw({ raw: { length: 2 ** 53 - 1 } })'],
    ['the text of a large typed array', 'const a = new Uint8Array(5e6); for (;;) a.join("")'],
    [
      'encodeURIComponent of five million characters',
      'for (;;) encodeURIComponent("\\u1234".repeat(1e6))',
    ],
    // Slow calls in a loop: the interpreter checks the clock only once per ten thousand of them.
    ['copies within a buffer', 'const b = new Uint8Array(2e7); for (;;) b.copyWithin(0, 1)'],
    ['copies of a buffer', 'const b = new ArrayBuffer(2e7); for (;;) b.slice(0)'],
    ['fills of a buffer', 'const b = new Uint8Array(2e7); for (;;) b.fill(1)'],
    [
      'copies between buffers',
      'const b = new Uint8Array(1e7), c = new Uint8Array(1e7); for (;;) b.set(c)',
    ],
    ['searches of a typed array', 'const a = new Float64Array(6e6); for (;;) a.includes(1)'],
    [
      'a property that a long prototype chain does not have',
      `${chain(1e5, 'Object.create(p)')} for (;;) p.x`,
    ],
    [
      'Array.isArray through nested proxies',
      `let p = []; for (let i = 0; i < 500; i++) p = new Proxy(p, {}); for (;;) Array.isArray(p)`,
    ],
    [
      'reads through nested proxies',
      `const h = Object.create(null); ${chain(800, 'new Proxy(p, h)')} for (;;) p.x`,
    ],
    [
      'the prototype of nested proxies',
      `const h = Object.create(null); ${chain(800, 'new Proxy(p, h)')} for (;;) Object.getPrototypeOf(p)`,
    ],
    [
      'instanceof of nested bound functions',
      'let f = function () {}; for (let i = 0; i < 700; i++) f = f.bind(); for (;;) ({}) instanceof f',
    ],
    [
      'comparison of long texts',
      'let s = "ab".repeat(1e7); const t = s + "c", u = s + "d"; for (;;) t < u',
    ],
    [
      'comparison of large BigInts',
      'const a = (1n << 1000000n) - 1n, b = (1n << 1000000n) - 1n; for (;;) a < b',
    ],
    ['lower case of a long text', 'const s = "\\u00c9".repeat(5e6); for (;;) s.toLowerCase()'],
    [
      'JSON.parse of a long text',
      'const s = "[" + "1,".repeat(2e6) + "1]"; for (;;) JSON.parse(s)',
    ],
    ['numbers of a million digits', 'const s = "0." + "0".repeat(5e6) + "1"; for (;;) Number(s)'],
    [
      'compilation of large regular expressions',
      'for (;;) new RegExp("[\\\\u{0}-\\\\u{10ffff}]".repeat(3000), "iu")',
    ],
    [
      'keys of a large object',
      'const o = {}; for (let i = 0; i < 2e5; i++) o["k" + i] = 1; for (;;) Object.keys(o)',
    ],
    ['names of symbols', 'for (;;) Symbol.for("x".repeat(1e6))'],
    ['arguments by the ten thousand', 'for (;;) Math.max.apply(null, { length: 60000 })'],
    ['straight code', 'const f = new Function("a", "a = 1;".repeat(2e4)); for (;;) f(f)'],
    [
      'straight code that calls built-ins',
      'const f = new Function("m", "a", "m(a);".repeat(1e4)); let p = []; for (let i = 0; i < 500; i++) p = new Proxy(p, {}); for (;;) f(Array.isArray, p)',
    ],
    // Attempts by the guest to survive the stop.
    [
      'a bomb that catches everything',
      'for (;;) try { [].includes.call({ length: 2 ** 53 - 1 }, 1) } catch {} finally { continue }',
    ],
    [
      'a bomb in what an error is shown as',
      'throw { get name() { return [].includes.call({ length: 2 ** 53 - 1 }, 1) } }',
    ],
  ])('%s', (_name, code) => {
    expect(cpuUntilStopped(`{ ${code} }`)).toBeLessThan(DEADLINE_MS + OVERRUN_MS)
  })
})

it('stops a second bomb after the first', () => {
  const bomb = '[].includes.call({ length: 2 ** 53 - 1 }, 1)'
  for (let i = 0; i < 3; i++) expect(cpuUntilStopped(bomb)).toBeLessThan(DEADLINE_MS + OVERRUN_MS)
})

it('restoring memory and stack pointer of a stopped engine restores its behavior', () => {
  const program = 'let a = [3, 1, 2].sort(); JSON.stringify({ a, b: 2n ** 70n > 0 })'
  const memory = engine.memory.slice()
  const stackPointer = engine.stackPointer.get()
  const fresh = engine.run(`{${program}}`)
  const after = engine.memory.slice()
  engine.memory.set(memory)

  cpuUntilStopped(
    'let x = []; for (let i = 0; i < 1e4; i++) x.push({ i }); x.toString = () => JSON.stringify((function f(n) { return n ? [f(n - 1), f(n - 1)] : 1 })(14)); for (;;) `${x}`.normalize("NFD")',
  )
  engine.memory.set(memory)
  engine.stackPointer.set(stackPointer)
  engine.deadline = Infinity

  expect(engine.run(`{${program}}`)).toBe(fresh)
  expect(Buffer.compare(engine.memory.subarray(stackPointer), after.subarray(stackPointer))).toBe(0)
})
