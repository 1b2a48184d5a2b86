import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { withFuel } from '../../../origin/actions/engine/fuel.ts'
import type { TestEngine } from './fuel-engine.ts'
import { createTestEngine, Stopped, stockModule } from './fuel-engine.ts'

/**
 * The smallest memory that the engine accepts, because comparing memories dominates the run time. The stack ends before
 * V8's, which is smaller here than in an executor (`pool/fork.ts`).
 */
const SIZE = { pages: 256, stackBytes: 64 * 1024 }
const PROGRAMS = 300

type Compared = TestEngine & { fresh: Uint8Array; freshStack: number }
let engines: [Compared, Compared]

beforeAll(async () => {
  const compared = async (bytes: Uint8Array) => {
    const engine = await createTestEngine(bytes, SIZE)
    const fresh = { fresh: engine.memory.slice(), freshStack: engine.stackPointer.get() }
    return Object.assign(engine, fresh)
  }
  const stock = stockModule()
  engines = [await compared(stock), await compared(withFuel(stock))]
})

/**
 * A few generated programs double an array in a loop and convert it to text, which fills the memory again and again for
 * minutes. They are not compared.
 */
const PROGRAM_MS_MAX = 1_000

afterEach(() => engines.forEach(reset))

function reset({ memory, fresh, stackPointer, freshStack }: Compared): void {
  memory.set(fresh)
  stackPointer.set(freshStack)
}

/** Returns the common answer of both engines after comparing every byte of their memories. @throws Stopped */
function both(program: string): string {
  const [stock, fueled] = engines
  // Fuel stops the program before the other engine runs it, which nothing could stop.
  const answer = fueled.run(program)
  expect(stock.run(program)).toBe(answer)
  expect(Buffer.compare(fueled.memory, stock.memory)).toBe(0)
  expect(fueled.stackPointer.get()).toBe(stock.stackPointer.get())
  return answer
}

const text = fc.constantFrom(
  '',
  'a',
  'abcabc',
  'ÄÖ',
  '\u{1f600}x',
  '12.5e3',
  ' 7 ',
  'b,c,d',
  '{"a":[1]}',
)
const literal = fc.oneof(
  fc.integer().map(String),
  fc
    .double({ noNaN: true })
    .map((value) => (Object.is(value, -0) || value < 0 ? `(${value})` : `${value}`)),
  fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).map((value) => `(${value}n)`),
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    'true',
    'null',
    'undefined',
    'NaN',
    '[]',
    '({})',
    'Symbol.iterator',
    '/[a-c]+?(\\d)?/giu',
  ),
)
const LIST_METHODS = [
  'reverse()',
  'sort()',
  'flat(3)',
  'join("-")',
  'concat([1, [2]])',
  'map(String)',
  'toSorted()',
  'entries().toArray()',
  'lastIndexOf("a")',
  'copyWithin(0, 1)',
  'reduce((a, b) => a + b, "")',
  'splice(1, 2, 9)',
  'keys().next()',
]
const TEXT_METHODS = [
  'normalize("NFKD")',
  'split("")',
  'toUpperCase()',
  'padStart(30, "ab")',
  'replaceAll("a", "$&$&")',
  'match(/[a-z]/g)',
  'codePointAt(0)',
  'localeCompare("b")',
  'at(-1)',
  'trim()',
  'isWellFormed()',
  'search(/\\d/)',
]
const BINARY = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '**',
  '<<',
  '>>>',
  '&',
  '|',
  '^',
  '<',
  '==',
  '===',
  '&&',
  '??',
  'in',
  'instanceof',
]
const CALLS = [
  'JSON.stringify',
  'String',
  'Number',
  'BigInt',
  'Object.entries',
  'Array.from',
  'new Set',
  'new Map',
  'parseInt',
  'encodeURIComponent',
  'structureOf',
  'Object.getOwnPropertyNames',
  'new Uint8Array',
  'new Date',
  'RegExp',
  'JSON.parse',
  'Symbol.for',
  'Math.hypot',
  'new Proxy({}, {}).valueOf',
  'isNaN',
  'new Error',
]

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'expression' },
    literal,
    fc.constantFrom('x', 'y', 'this', 'arguments.length'),
    fc
      .tuple(tie('expression'), fc.constantFrom(...BINARY), tie('expression'))
      .map(([a, operator, b]) => `((${a}) ${operator} (${b}))`),
    fc.tuple(fc.constantFrom(...CALLS), tie('expression')).map(([call, a]) => `${call}(${a})`),
    fc
      .tuple(tie('expression'), tie('expression'), fc.constantFrom(...LIST_METHODS))
      .map(([a, b, method]) => `[${a}, ${b}, "c"].${method}`),
    fc
      .tuple(tie('expression'), fc.constantFrom(...TEXT_METHODS))
      .map(([a, method]) => `String(${a}).${method}`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([a, b]) => `({ p: ${a}, get q() { return ${b} }, ...[1] })`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `((x, y) => ${a})(${b}, x)`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} ? ${b} : y)`),
    fc.tuple(tie('expression')).map(([a]) => `[...(function* () { yield ${a}; yield* [x, y] })()]`),
  ),
}))
const statement = fc.oneof(
  expression.map((a) => `x = ${a};`),
  expression.map(
    (a) => `try { y = ${a} } catch (error) { seen.push(String(error)) } finally { turns++ }`,
  ),
  fc
    .tuple(fc.nat(40), expression)
    .map(
      ([n, a]) =>
        `for (let i = 0; i < ${n}; i++) { if (i % 7 === 3) continue; y = ${a}; turns += i }`,
    ),
  fc
    .tuple(expression, expression)
    .map(
      ([a, b]) => `for (const k in ${a}) { seen.push(k); if (seen.length > 50) break; x = ${b} }`,
    ),
  expression.map(
    (a) =>
      `switch (typeof ${a}) { case 'string': turns += 2; break; case 'object': turns += 3; default: turns++ }`,
  ),
  expression.map((a) => `Promise.resolve(${a}).then((value) => seen.push(typeof value));`),
)
const program = fc.array(statement, { minLength: 1, maxLength: 6 }).map(
  (statements) => `(function () {
  let x = 1, y = 'why', turns = 0; const seen = []
  const structureOf = (value) => Object.prototype.toString.call(value)
  ${statements.join('\n  ')}
  return [typeof x, String(x), typeof y, structureOf(y), turns, seen.join()]
})()`,
)

describe('an engine with fuel behaves like one without, down to every byte of its memory', () => {
  it(`for ${PROGRAMS} generated programs`, () => {
    let values = 0
    fc.assert(
      fc.property(program, (code) => {
        engines[1].deadline = performance.now() + PROGRAM_MS_MAX
        try {
          if (both(code).startsWith('["value"')) values++
        } catch (error) {
          if (!(error instanceof Stopped)) throw error
          engines.forEach(reset)
          fc.pre(false)
        } finally {
          engines[1].deadline = Infinity
        }
      }),
      { numRuns: PROGRAMS },
    )
    // Otherwise the programs would mostly compare errors.
    expect(values).toBeGreaterThan(PROGRAMS / 4)
  }, 60_000)

  it.each([
    ['recursion', 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(20)'],
    ['endless recursion', '(function f() { return f() })()'],
    ['memory that is used up', 'const a = []; for (;;) a.push(new ArrayBuffer(1e5))'],
    [
      'memory that is used up, and caught',
      'try { const a = []; for (;;) a.push("x".repeat(1e5) + a.length) } catch (e) { String(e) }',
    ],
    ['large BigInts', 'String(3n ** 5000n % (7n ** 900n + 1n)) + BigInt("9".repeat(3000)) * 7n'],
    [
      'text',
      'let s = ""; for (let i = 0; i < 5e4; i++) s += "abc" + i; s.split("a").reverse().join(",").length',
    ],
    [
      'regular expressions',
      '"The fox jumps at foo@bar.example on 2024-01-02. ".repeat(50).replace(/([\\w.]+)@([\\w.]+)|(\\d{4})-(\\d\\d)/g, "<$2$4>")',
    ],
    [
      'a regular expression that backtracks',
      '/^(a|b|ab)*c/.test("ab".repeat(10)) + "/" + /(x+x+)+y/.test("x".repeat(14))',
    ],
    [
      'JSON',
      'JSON.stringify(JSON.parse(JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, tags: ["a", { c: id / 3 }] }))), (k, v) => v))',
    ],
    [
      'sorting',
      'let r = 1; const a = []; for (let i = 0; i < 2e4; i++) a.push((r = (r * 1103515245 + 12345) & 0x7fffffff)); a.sort((x, y) => x - y); a.toSorted().slice(0, 50).join()',
    ],
    [
      'typed arrays',
      'const u = new Uint8Array(1e5); for (let i = 0; i < u.length; i++) u[i] = i * 31; u.copyWithin(1, 0).fill(7, 10, 500); u.sort().slice(0, 9e4).join("").length',
    ],
    [
      'maps and sets',
      'const m = new Map(); for (let i = 0; i < 2e4; i++) m.set("k" + ((i * 7919) % 20011), i); new Set(m.values()).size',
    ],
    [
      'classes and generators',
      'class P { #x; constructor(x) { this.#x = x } get y() { return this.#x } *[Symbol.iterator]() { yield* [1, this.y] } } [...Array(3e3).keys()].map((i) => [...new P(i)]).flat().length',
    ],
    ['cycles that are collected', 'for (let i = 0; i < 2e5; i++) { const a = {}; a.a = a } 1'],
    [
      'weak references',
      'const w = new WeakMap(); for (let i = 0; i < 2e4; i++) w.set({}, [i]); w.has({})',
    ],
    [
      'source at run time',
      '(0, eval)("function f(a, b) { if (a > b) return { x: a, y: [b] }; for (let i = 0; i < 3; i++) a += i * b; return a }".repeat(300)); f(1, 2)',
    ],
    ['a source that is wrong', '{ let a = `${[...[`'],
    [
      'dates',
      'new Date(2020, 1, 29, 12).toString() + new Date("2020-02-30").getTime() + Date.now()',
    ],
    ['tagged templates', 'String.raw`a${1}\\n${2}` + ((s) => s.raw.join())`x${0}y`'],
    [
      'destructuring',
      'const { a: [b = 2, ...c], ...d } = { a: [undefined, 3, 4], e: 5 }; JSON.stringify([b, c, d])',
    ],
  ])('for %s', (_name, code) => {
    both(code)
  })
})
