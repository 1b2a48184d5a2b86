import { program, returns, runsOut, throws } from '../program.ts'

const either = [{ fails: 'out_of_memory' }, { fails: 'action_threw' }] as const

/** Every way to allocate. */
export const memory = [
  runsOut('buffers', 'const a = []; for (;;) a.push(new ArrayBuffer(1e6))'),
  runsOut('one buffer that is too large', 'return new ArrayBuffer(2 ** 31 - 1)'),
  runsOut('buffers that double', 'for (let n = 1, a = []; ; n *= 2) a.push(new Uint8Array(n))'),
  runsOut('typed arrays of numbers', 'const a = []; for (;;) a.push(new Float64Array(1e5))'),
  runsOut('strings', 'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)'),
  runsOut(
    'a string that doubles',
    'let s = "ab"; const a = []; for (;;) { a.push(s); s += s.length < 2 ** 22 ? s : "x" }',
  ),
  runsOut(
    'ropes that are made flat',
    'const a = []; for (let s = "x".repeat(1e6); ; s += "y") { a.push(s); s.charCodeAt(5) }',
  ),
  runsOut('wide strings', 'const a = []; for (;;) a.push("\\u4e00".repeat(1e5) + a.length)'),
  runsOut('an array that grows', 'const a = []; for (;;) a.push(a.length)'),
  runsOut('arrays of arrays', 'let a = []; for (;;) a = [a, [], []]'),
  runsOut('objects', 'const a = []; for (;;) a.push({ x: 1, y: 2 })'),
  runsOut('property names', 'const a = {}; for (let i = 0; ; i++) a["key" + i] = i'),
  runsOut('names of global variables', 'for (let i = 0; ; i++) globalThis["g" + i] = i'),
  runsOut('a map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, {})'),
  runsOut('a set of texts', 'const s = new Set(); for (let i = 0; ; i++) s.add("key" + i)'),
  runsOut('symbols', 'const a = []; for (;;) a.push(Symbol("s" + a.length))'),
  program(
    'registered symbols',
    'function main() { for (let i = 0; ; i++) Symbol.for("symbol number " + i) }',
    [{ fails: 'action_timeout' }, { fails: 'out_of_memory' }],
    { wallMs: 1_000 },
  ),
  runsOut('closures', 'const a = []; for (let i = 0; ; i++) a.push(() => i)'),
  runsOut(
    'functions from text',
    'const a = []; for (let i = 0; ; i++) a.push(new Function("return " + i))',
  ),
  runsOut('classes', 'const a = []; for (;;) a.push(class { #x = 1; m() {} static s = {} })'),
  runsOut(
    'generators that are begun',
    'const a = []; function* g() { yield new Array(50) } for (;;) { const i = g(); i.next(); a.push(i) }',
  ),
  // Without memory, an async function rejects unhandled, and the loop continues until the clock stops it.
  program(
    'async functions that wait for ever',
    'function main() { const never = new Promise(() => {}); for (;;) (async () => { await never })() }',
    [{ fails: 'action_timeout' }, { fails: 'out_of_memory' }],
    { wallMs: 1_000 },
  ),
  runsOut('promises with reactions', 'const p = new Promise(() => {}); for (;;) p.then(() => {})'),
  runsOut(
    'captures of a pattern',
    'const a = []; for (;;) a.push(/(a)(b)(c)(d)(e)/.exec("abcde"))',
  ),
  runsOut(
    'compiled patterns',
    'const a = []; for (let i = 0; ; i++) a.push(new RegExp("[a-z]{1,20}x" + i, "u"))',
  ),
  runsOut(
    'template objects',
    'const a = []; const t = (s) => s; for (let i = 0; ; i++) a.push(new Function("t", "return t`" + i + "`")(t))',
  ),
  runsOut(
    'errors with stacks',
    'const a = []; for (;;) a.push(new Error("x".repeat(100) + a.length))',
  ),
  runsOut('dates', 'const a = []; for (;;) a.push(new Date())'),
  runsOut(
    'bound functions',
    'let f = () => {}; const a = []; for (;;) a.push(f.bind(null, 1, 2, 3))',
  ),
  runsOut('proxies', 'const a = []; for (;;) a.push(new Proxy({}, {}))'),
  runsOut('BigInts', 'const a = []; for (let b = 1n << 100000n; ; b++) a.push(b)'),
  runsOut('keys of a large text', 'return Object.keys("x".repeat(2 ** 24))'),
  runsOut('a text split into letters', 'const a = []; for (;;) a.push("x".repeat(1e6).split(""))'),
  runsOut(
    'arguments',
    'const a = []; for (;;) a.push((function () { return arguments })(1, 2, 3))',
  ),
  runsOut('entries spread', 'return [...new Array(2 ** 24).entries()]'),
  runsOut(
    'weak maps whose keys stay',
    'const w = new WeakMap(), a = []; for (;;) { const k = {}; a.push(k); w.set(k, new Array(10)) }',
  ),
  runsOut(
    'an action that catches it and goes on',
    'const a = []; for (;;) try { a.push(new ArrayBuffer(1e5)) } catch { a.push({}) ; throw new Array(1e7).fill(a) }',
  ),
  program(
    'what is left after a catch',
    'const a = []; function main() { try { for (;;) a.push({}) } catch (e) { throw e } }',
    { fails: 'out_of_memory' },
  ),
  program(
    'memory that is gone before main',
    'const a = []; for (;;) a.push(new ArrayBuffer(1e6)); function main() {}',
    { fails: 'out_of_memory' },
  ),
  program(
    'params that fill it',
    'function main(p) { const a = []; for (;;) a.push(JSON.parse(JSON.stringify(p))) }',
    { fails: 'out_of_memory' },
    {
      params: `{"list":[${'1,'.repeat(1e5)}1]}`,
    },
  ),
  program(
    'an array of 2 ** 32 - 1 elements, filled',
    'const main = () => new Array(2 ** 32 - 1).fill(0)',
    either,
    { wallMs: 10_000 },
  ),
  throws('a text of 2 ** 30', 'return "x".repeat(2 ** 30)', /invalid|length|count|out of memory/),
  throws(
    'a text padded to 2 ** 53',
    'return "x".padEnd(2 ** 53 - 1, "abc")',
    /invalid|length|out of memory/,
  ),
  returns(
    'memory that is taken and freed a thousand times',
    'for (let i = 0; i < 1000; i++) new ArrayBuffer(1e7); return 1',
    1,
  ),
  returns(
    'an exhaustion that is caught and let go',
    'try { const a = []; for (;;) a.push(new ArrayBuffer(1e6)) } catch {} return "on"',
    'on',
  ),
]
