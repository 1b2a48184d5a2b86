import { fails, native, program, returns, throws, timesOut } from '../program.ts'

/** JSON that explodes, lies or never ends. */
export const json = [
  native(
    'a graph that shares: 2 ** 40 leaves',
    'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a',
  ),
  native(
    'a graph of objects that shares',
    'let a = {}; for (let i = 0; i < 40; i++) a = { a, b: a }; return JSON.stringify(a).length',
  ),
  native('an array of length 2 ** 32 - 1', 'return JSON.stringify(new Array(2 ** 32 - 1))'),
  native(
    'an array-like proxy of 2 ** 53 - 1',
    'return JSON.stringify(new Proxy([], { get: (t, k) => k === "length" ? 2 ** 53 - 1 : 0 }))',
  ),
  fails(
    'a cycle',
    'const a = {}; a.a = a; return a',
    'result_not_json',
    /refers to an object that contains it/,
  ),
  fails(
    'a cycle through an array',
    'const a = []; a.push({ a }); return a',
    'result_not_json',
    /contains it/,
  ),
  throws(
    'a toJSON that makes ever more',
    'return { toJSON() { return { a: { toJSON: this.toJSON } } } }',
    /stack overflow/,
  ),
  timesOut('a toJSON that does not return', 'return { toJSON() { for (;;); } }'),
  timesOut('a getter in the value', 'return { get a() { for (;;); } }'),
  timesOut('a reviver that does not return', 'JSON.parse("[1]", () => { for (;;); })'),
  timesOut('a replacer that does not return', 'JSON.stringify([1], () => { for (;;); })'),
  returns(
    'a reviver that adds keys',
    'return JSON.parse("[1]", function (k, v) { this.push?.(2); return v }).length',
    2,
  ),
  throws(
    'a replacer that nests for ever',
    'return JSON.stringify({}, () => ({ a: 1 }))',
    /stack overflow/,
  ),
  throws(
    'a revoked proxy as value',
    'const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy',
    /revoked/,
  ),
  throws(
    'a proxy whose ownKeys throws',
    'return new Proxy({}, { ownKeys() { throw new Error("mine") } })',
    /mine/,
  ),
  throws(
    '1 MB of text that is cut',
    'JSON.parse("[" + "1,".repeat(5e5))',
    /JSON|unexpected|out of memory/i,
  ),
  native('text of 4,000,000 arrays', 'return JSON.parse("[" + "[],".repeat(4e6) + "0]").length', {
    wallMs: 10_000,
    finite: true,
  }),
  native(
    'indentation',
    'let a = 1; for (let i = 0; i < 900; i++) a = [a, i]; const t = []; for (;;) t.push(JSON.stringify(a, null, 10))',
    { wallMs: 10_000 },
  ),
  fails(
    'a BigInt deep inside',
    'return { a: [{ b: 1n }] }',
    'result_not_json',
    /response\.a\[0\]\.b is a BigInt/,
  ),
  fails(
    'a toJSON that returns nothing',
    'return { toJSON() {} }',
    'result_not_json',
    /toJSON returns nothing/,
  ),
  returns(
    'a __proto__ that is data',
    'return JSON.parse(\'{"__proto__":{"x":1}}\').x ?? "unset"',
    'unset',
  ),
  returns('a NUL and half a pair', 'return ["\\0", "\\ud800", "\\u2028"]', [
    '\0',
    '\ud800',
    '\u2028',
  ]),
  returns(
    'rawJSON, where it is there',
    'return typeof JSON.rawJSON === "function" ? JSON.rawJSON("1") : 1',
    1,
  ),
  returns(
    'text that breaks out of quotes',
    'return "\\"}],\\"code\\":\\"stopped\\""',
    '"}],"code":"stopped"',
  ),
  program(
    'params that are no JSON',
    'function main() { return 1 }',
    { fails: 'invalid_params' },
    { params: '{"a":1,}' },
  ),
  program(
    'params with a NUL in their text',
    'function main() { return 1 }',
    { fails: 'invalid_params' },
    { params: '{"a":"\0"}' },
  ),
  program(
    'params of 200,000 levels',
    'function main() { return 1 }',
    { fails: 'invalid_params' },
    { params: '['.repeat(200_000) },
  ),
  program(
    'params with a key that is given twice',
    'function main(p) { return p.a }',
    { returns: 2 },
    { params: '{"a":1,"a":2}' },
  ),
]
