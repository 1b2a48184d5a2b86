import { program, throws, timesOut } from '../program.ts'

const hostile =
  '{ toString() { throw 1 }, valueOf() { throw 2 }, [Symbol.toPrimitive]() { throw 3 } }'

/** Thrown values other than errors. */
export const thrown = [
  throws('null', 'throw null', /no Error: null/),
  throws('undefined', 'throw undefined', /no Error: undefined/),
  throws('a number', 'throw NaN', /no Error: number NaN/),
  throws('a BigInt', 'throw 10n', /no Error: bigint 10/),
  throws('a symbol', 'throw Symbol("s")', /Symbol\(s\)/),
  throws('a symbol with a hostile description', 'throw Symbol("\\0\\ud800".repeat(1e6))', /Symbol/),
  throws('a text of 16 MB', 'throw "x".repeat(2 ** 24)', /no Error: string xxx/),
  throws('an object', 'throw { a: 1 }', /\{"a":1\}/),
  throws('a cyclic object', 'const a = {}; a.a = a; throw a', /cannot be shown/),
  throws('an object that cannot become text', `throw ${hostile}`, /no Error/),
  throws('a function', 'throw () => 1', /no Error/),
  throws('a class', 'throw class { static message = "mine" }', /mine/),
  throws('an array', 'throw [1, 2]', /\[1,2\]/),
  throws('a promise', 'throw Promise.reject(1)', /no Error/),
  throws('a proxy', 'throw new Proxy({}, {})', /no Error/),
  throws(
    'a revoked proxy',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy',
    /cannot be shown/,
  ),
  throws(
    'an error without a prototype',
    'throw Object.setPrototypeOf(new Error("mine"), null)',
    /mine/,
  ),
  throws(
    'an error with a hostile name',
    `throw Object.assign(new Error("mine"), { name: ${hostile} })`,
    /mine/,
  ),
  throws(
    'an error with a hostile message',
    `throw Object.assign(new Error(), { message: ${hostile} })`,
    /no Error/,
  ),
  throws('an error with a message of 16 MB', 'throw new Error("x".repeat(2 ** 24))', /^x{8192}$/),
  throws(
    'an error with a name of 16 MB',
    'throw Object.assign(new Error("mine"), { name: "N".repeat(2 ** 24) })',
    /^mine$/,
  ),
  throws(
    'an error with a stack of 16 MB',
    'throw Object.assign(new Error("mine"), { stack: "at x\\n".repeat(2 ** 21) })',
    /^mine$/,
  ),
  throws(
    'an error whose stack is an object',
    'throw Object.assign(new Error("mine"), { stack: [[], {}] })',
    /^mine$/,
  ),
  throws('an error with NUL and half pairs', 'throw new Error("a\\0b\\ud800c")', /^a\0b\ufffdc$/),
  throws(
    'an error with control characters for a terminal',
    'throw new Error("\\u001b[2J\\u0007mine")',
    /mine/,
  ),
  throws(
    'an error whose cause is itself',
    'const e = new Error("mine"); e.cause = e; throw e',
    /mine/,
  ),
  throws(
    'an aggregate of a million',
    'throw new AggregateError(new Array(1e5).fill(1), "mine")',
    /mine/,
  ),
  throws(
    'an error of a subclass that throws in its constructor',
    'class E extends Error { constructor() { super("a"); throw new Error("mine") } } throw new E()',
    /mine/,
  ),
  throws('a typed array', 'throw new Uint8Array(1e6)', /no Error/),
  throws('the global object', 'throw globalThis', /no Error/),
  timesOut('an object whose toJSON does not return', 'throw { toJSON() { for (;;); } }'),
  timesOut(
    'a hostile error in a timer',
    'setTimeout(() => { throw { get message() { for (;;); } } }, 1); await new Promise(() => {})',
  ),
  program('null before main', 'throw null', { fails: 'action_threw', says: /null/ }),
  program('a proxy before main', 'throw new Proxy({}, { get() { throw 1 } })', {
    fails: 'action_threw',
  }),
  program(
    'a hostile error in a timer that nobody awaits',
    'function main() { setTimeout(() => { throw null }, 1); return new Promise((done) => setTimeout(done, 30)) }',
    { fails: 'action_threw', says: /null/ },
  ),
]
