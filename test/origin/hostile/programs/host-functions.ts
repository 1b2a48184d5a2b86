import { native, program, returns, throws, timesOut } from '../program.ts'

const odd = `[undefined, null, NaN, -1, 2 ** 53, 1e308, 1n, Symbol('s'), '', '\\0', '\\ud800', 'x'.repeat(1e5), [], {}, () => 1,
  Object.create(null), new Proxy({}, { get() { throw 1 } }), new Uint8Array(3), new ArrayBuffer(3), new Error('e'), /x/, new Date(NaN),
  { valueOf() { throw 1 }, toString() { throw 2 } }, { length: 2 ** 53 - 1 }, new Map(), Promise.resolve(1), globalThis]`

/** Calls every function found under the prelude's globals with odd arguments. */
const abuse = (roots: string) => `
  const odd = ${odd}
  const seen = new Set()
  const visit = (value, depth, self) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value) || depth > 3) return
    seen.add(value)
    if (typeof value === 'function') {
      for (const a of odd) {
        for (const args of [[a], [a, a], [{ method: a, pkpId: a, ipfsId: a }, a, a]]) {
          try { const got = Reflect.apply(value, self, args); if (got instanceof Promise) got.catch(() => {}) } catch {}
          try { Reflect.construct(value, args) } catch {}
        }
        try { Reflect.apply(value, a, []) } catch {}
      }
    }
    for (const key of Reflect.ownKeys(value)) {
      const d = Object.getOwnPropertyDescriptor(value, key)
      for (const part of [d.value, d.get, d.set]) visit(part, depth + 1, value)
    }
  }
  for (const root of ${roots}) visit(globalThis[root], 0, undefined)
  return 1`

const ours = [
  'console',
  'crypto',
  'CryptoKey',
  'TextEncoder',
  'TextDecoder',
  'URL',
  'URLSearchParams',
  'Headers',
  'Request',
  'Response',
  'AbortController',
  'AbortSignal',
  'EventTarget',
  'Event',
  'DOMException',
  'structuredClone',
  'atob',
  'btoa',
  'queueMicrotask',
  'performance',
  'Svc',
]

/** Host functions, reached through the prelude's functions with unexpected arguments. */
export const hostFunctions = [
  ...ours.map((root) => returns(`everything odd given to ${root}`, abuse(`['${root}']`), 1)),
  throws('random bytes: none', 'crypto.getRandomValues()', /./),
  throws(
    'random bytes: an object that is like a view',
    'crypto.getRandomValues({ buffer: new ArrayBuffer(8), byteOffset: 0, byteLength: 8, length: 8 })',
    /./,
  ),
  throws(
    'random bytes: one more than the quota',
    'crypto.getRandomValues(new Uint8Array(65537))',
    /65536|quota/i,
  ),
  returns(
    'random bytes: a view that lies about its length',
    'const a = new Uint8Array(8); Object.defineProperty(a, "length", { value: 2 ** 31 }); Object.defineProperty(a, "byteLength", { value: 2 ** 31 }); Object.defineProperty(a, "buffer", { value: new ArrayBuffer(2) }); crypto.getRandomValues(a); return 1',
    1,
  ),
  returns(
    'random bytes: into the middle, and not beside it',
    'const b = new Uint8Array(96); crypto.getRandomValues(new Uint8Array(b.buffer, 32, 32)); return b.slice(0, 32).some(Boolean) || b.slice(64).some(Boolean)',
    false,
  ),
  timesOut(
    'random bytes: without end',
    'const a = new Uint8Array(16); for (;;) crypto.getRandomValues(a)',
  ),
  throws('atob of what is none', 'atob("a\\0b")', /./),
  native('atob of 16 MB', 'return atob("QUJD".repeat(4e6)).length', {
    wallMs: 1_000,
    finite: true,
  }),
  native('btoa of 16 MB', 'return btoa("x".repeat(1.6e7)).length', { wallMs: 1_000, finite: true }),
  throws('btoa of wide characters', 'btoa("\\u4e00")', /./),
  throws(
    'key operations: no input',
    'await Svc.Actions.getPrivateKey()',
    /expected \{pkpId: string\}/,
  ),
  throws(
    'key operations: an id of 257 characters',
    'await Svc.Actions.getPrivateKey({ pkpId: "x".repeat(257) })',
    /256|expected/,
  ),
  throws(
    'key operations: a text object',
    'await Svc.Actions.getPrivateKey({ pkpId: new String("x") })',
    /expected \{pkpId: string\}/,
  ),
  throws(
    'key operations: a proxy',
    'await Svc.Actions.getPrivateKey(new Proxy({}, { get() { throw new Error("mine") } }))',
    /mine/,
  ),
  returns(
    'key operations: an id of quotes, NULs and half pairs',
    'return (await Svc.Actions.getPrivateKey({ pkpId: "\\"},\\"name\\":\\"getRootKey\\"\\0\\ud800" })).length',
    66,
  ),
  returns(
    'key operations: __proto__ as id',
    'return (await Svc.Actions.getPrivateKey({ pkpId: "__proto__" })).length',
    66,
  ),
  returns(
    'key operations: a this that is another',
    'return (await Svc.Actions.getPrivateKey.call(null, { pkpId: "x" })).length',
    66,
  ),
  returns(
    'key operations: Svc cannot be replaced for others',
    'try { Svc.Actions.getPrivateKey = 1 } catch {} try { globalThis.Svc = 1 } catch {} return 1',
    1,
  ),
  program(
    'key operations: the answer’s then',
    'Object.prototype.then = function () { throw new Error("mine") }; async function main() { const key = await Svc.Actions.getPrivateKey({ pkpId: "x" }); return 1 }',
    { returns: 1 },
  ),
  program(
    'keys that nobody waits for',
    'function main() { for (let i = 0; i < 10; i++) Svc.Actions.getPrivateKey({ pkpId: "x" }); return 1 }',
    { returns: 1 },
  ),
  program(
    'a key that comes when the run is over',
    'function main() { Svc.Actions.getPrivateKey({ pkpId: "x" }).then(() => { for (;;); }); return 1 }',
    { returns: 1 },
  ),
  program(
    'a key that is asked for before main',
    'const p = Svc.Actions.getSvcActionPrivateKey(); async function main() { return (await p).length }',
    { returns: 66 },
  ),
]
