import { native, program, returns, throws } from '../program.ts'

const overflow = /stack overflow/
const DEPTH = 100_000

/** Deep nesting of calls, data, source and patterns. */
export const recursion = [
  throws('a function that calls itself', 'const f = () => f() + 1; f()', overflow),
  throws('two that call each other', 'const a = () => b() + 1, b = () => a() + 1; a()', overflow),
  throws('a constructor', 'class A { constructor() { this.a = new A() } } new A()', overflow),
  throws('a getter', 'const o = { get x() { return this.x } }; o.x', overflow),
  throws('a setter', 'const o = { set x(v) { this.x = v } }; o.x = 1', overflow),
  throws('toString', 'const o = { toString: () => "" + o }; return "" + o', overflow),
  throws('valueOf', 'const o = { valueOf: () => o * 1 }; return o * 1', overflow),
  throws(
    'Symbol.toPrimitive',
    'const o = { [Symbol.toPrimitive]: () => `${o}` }; return `${o}`',
    overflow,
  ),
  throws('a comparator', 'const f = () => [2, 1].sort(f)[0]; f()', overflow),
  throws('a callback of map', 'const f = () => [1].map(f); f()', overflow),
  throws('toJSON', 'const o = { toJSON: () => JSON.stringify(o) }; JSON.stringify(o)', overflow),
  throws('a reviver', 'const f = () => JSON.parse("1", f); f()', overflow),
  throws('a proxy of itself', 'const p = new Proxy({}, { get: (t, k) => p[k] }); p.x', overflow),
  throws(
    'proxies of proxies',
    `let p = {}; for (let i = 0; i < ${DEPTH}; i++) p = new Proxy(p, {}); return p.x`,
    overflow,
  ),
  throws(
    'a chain of bound functions',
    `let f = () => 1; for (let i = 0; i < ${DEPTH}; i++) f = Object.defineProperty(f.bind(), 'name', { value: '' }); return f()`,
    overflow,
  ),
  throws('apply of itself', 'function f() { return f.apply(this, arguments) + 1 } f(1)', overflow),
  throws('Reflect.construct', 'function F() { return Reflect.construct(F, []) } new F()', overflow),
  throws('a generator', 'function* g() { yield* g() } g().next()', overflow),
  throws('an iterator', 'const o = { [Symbol.iterator]: () => [...o] }; return [...o]', overflow),
  throws('replace with a function', 'const f = () => "a".replace(/a/, f); f()', overflow),
  throws(
    'Symbol.hasInstance',
    'const o = { [Symbol.hasInstance]: (v) => v instanceof o }; ({}) instanceof o',
    overflow,
  ),
  throws('eval', 'globalThis.f = () => (0, eval)("f()"); f()', overflow),
  throws(
    'a Function made anew',
    'globalThis.f = () => new Function("return f()")(); f()',
    overflow,
  ),
  throws('an async function', 'const f = async () => { await f() }; await f()', overflow),
  native(
    'an overflow that is caught for ever',
    'const f = () => { try { f() } catch { f() } }; f()',
  ),
  throws('source: brackets', `eval("(".repeat(${DEPTH}))`, overflow),
  throws('source: arrays', `eval("[".repeat(${DEPTH}))`, overflow),
  throws('source: templates', `eval("\`\${".repeat(${DEPTH}))`, overflow),
  throws('source: blocks', `eval("{".repeat(${DEPTH}))`, overflow),
  throws('source: arrows', `eval("a=>".repeat(${DEPTH}) + "1")`, overflow),
  throws('source: unary operators', `eval("-".repeat(0) + "!".repeat(${DEPTH}) + "1")`, overflow),
  throws(
    'source: conditions',
    `eval("1?".repeat(${DEPTH}) + "1" + ":1".repeat(${DEPTH}))`,
    overflow,
  ),
  throws(
    'source: destructuring',
    `eval("let [" + "[".repeat(${DEPTH}) + "a" + "]".repeat(${DEPTH}) + "]=0")`,
    /stack overflow|variable name/,
  ),
  throws('source: classes', `eval("(class{static x=".repeat(${DEPTH}))`, overflow),
  throws('source: if', `eval("if(1)".repeat(${DEPTH}) + ";")`, overflow),
  throws('JSON text', 'JSON.parse("[".repeat(1000000))', overflow),
  throws('JSON text of objects', `JSON.parse('{"a":'.repeat(${DEPTH}))`, overflow),
  throws(
    'a value written as JSON',
    `let a = []; for (let i = 0; i < ${DEPTH}; i++) a = [a]; return a`,
    overflow,
  ),
  throws(
    'flat without a limit',
    `let a = []; for (let i = 0; i < ${DEPTH}; i++) a = [a]; return a.flat(Infinity)`,
    overflow,
  ),
  throws(
    'a join of nested arrays',
    `let a = []; for (let i = 0; i < ${DEPTH}; i++) a = [a]; return a + ""`,
    overflow,
  ),
  throws('a pattern', `return new RegExp("(?:".repeat(${DEPTH}) + ")".repeat(${DEPTH}))`, overflow),
  returns(
    'a chain of prototypes',
    `let o = { x: 1 }; for (let i = 0; i < ${DEPTH}; i++) o = Object.create(o); return o.x`,
    1,
  ),
  returns(
    'a list that is freed in depth',
    `let l = null; for (let i = 0; i < 300000; i++) l = { l }; l = null; return 1`,
    1,
  ),
  returns(
    'promises that adopt each other',
    `let p = Promise.resolve(7); for (let i = 0; i < 20000; i++) { const q = p; p = (async () => q)() } return p`,
    7,
  ),
  program(
    'params that nest',
    'const main = (p) => JSON.stringify(p).length',
    { fails: 'invalid_params' },
    {
      params: `{"a":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`,
    },
  ),
]
