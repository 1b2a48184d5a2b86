import { fails, native, program, returns, throws, timesOut } from '../program.ts'
import { RESULT_MAX_BYTES } from '../../../../shared/limits.ts'

const n = RESULT_MAX_BYTES

/** Values and console output that are too large, or pretend to be. */
export const results = [
  fails('one byte over the limit', `return 'x'.repeat(${n - 1})`, 'result_too_large', /limit/),
  program('just at the limit', `const main = () => 'x'.repeat(${n - 2})`, {
    returns: 'x'.repeat(n - 2),
  }),
  fails(
    'two-byte characters over the limit',
    `return 'é'.repeat(${n / 2})`,
    'result_too_large',
    /limit/,
  ),
  fails(
    'characters that become escapes',
    `return '\\0'.repeat(${n / 5})`,
    'result_too_large',
    /limit/,
  ),
  fails(
    'half pairs that become escapes',
    `return '\\ud800'.repeat(${n / 5})`,
    'result_too_large',
    /limit/,
  ),
  fails('16 MB of text', 'return "x".repeat(2 ** 24)', 'result_too_large', /limit/),
  fails(
    'a million numbers',
    'return Array.from({ length: 1e6 }, () => 1)',
    'result_too_large',
    /limit/,
  ),
  fails(
    'a graph that shares, of 2 ** 21 leaves',
    'let a = [1]; for (let i = 0; i < 19; i++) a = [a, a]; return a',
    'result_too_large',
    /limit/,
  ),
  fails('a key of 2 MB', 'return { ["k".repeat(2e6)]: 1 }', 'result_too_large', /limit/),
  fails('a typed array of 500,000', 'return new Uint8Array(500000)', 'result_too_large', /limit/),
  native(
    'a value that needs all memory as text',
    'const s = "\\0".repeat(1e7); return [s, s, s, s]',
    { wallMs: 10_000 },
  ),
  fails(
    'a text object whose toString lies',
    'return Object.assign(new String("a"), { toString: () => "x".repeat(2e6) })',
    'result_too_large',
    /limit/,
  ),
  returns('a symbol key', 'return { [Symbol("k")]: 1 }', {}),
  fails(
    'a number that JSON does not know',
    'return [-0, NaN, Infinity]',
    'result_not_json',
    /response\[1\] is NaN/,
  ),
  returns('a date that is invalid', 'return { d: new Date(NaN) }', { d: null }),
  returns('a sparse array', 'const a = []; a[3] = 1; return a', [null, null, null, 1]),
  timesOut('a console that is flooded', 'for (;;) console.log("x".repeat(1000))'),
  timesOut('a console that is flooded with nothing', 'for (;;) console.log()'),
  timesOut('errors in the console', 'for (;;) console.error(new Error("x".repeat(1000)))'),
  returns('one line of 16 MB', 'console.log("é".repeat(2 ** 23)); return 1', 1),
  returns('ten thousand arguments', 'console.log(...new Array(10000).fill("x")); return 1', 1),
  returns(
    'objects that share, in the console',
    'let a = [1]; for (let i = 0; i < 14; i++) a = [a, a]; console.log(a); return 1',
    1,
  ),
  returns(
    'half pairs and NULs in the console',
    'console.log("\\ud800\\0\\udfff\\u001b[2J"); return 1',
    1,
  ),
  returns(
    'a console that is replaced',
    'console = { log() { throw 1 } }; console.log; return 1',
    1,
  ),
  throws(
    'a line that breaks the console',
    'console.log({ get a() { throw new Error("lost") } }); console.log(Symbol.iterator, null, undefined, 1n); throw new Error("mine")',
    /mine/,
  ),
  native(
    'a line of an endless graph',
    'let a = {}; for (let i = 0; i < 40; i++) a = { a, b: a }; console.log(a)',
  ),
]
