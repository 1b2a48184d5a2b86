import { program, returns, throws, timesOut, fails } from '../program.ts'

const trap = (name: string, body: string) => `new Proxy(function () {}, { ${name}() { ${body} } })`

/** Values that run code when they are inspected. */
export const proxies = [
  timesOut('a get trap that does not return', `return ${trap('get', 'for (;;);')}`),
  timesOut(
    'an ownKeys trap that does not return',
    'return new Proxy({}, { ownKeys() { for (;;); } })',
  ),
  timesOut(
    'a has trap that does not return',
    `with_ = ${trap('has', 'for (;;);')}; return "x" in with_`,
  ),
  timesOut('a thrown proxy whose get does not return', `throw ${trap('get', 'for (;;);')}`),
  timesOut(
    'a proxy in the console that does not return',
    `console.log(${trap('get', 'for (;;);')}, new Proxy({}, { get() { for (;;); } }))`,
  ),
  throws(
    'a get trap that throws',
    `return new Proxy({}, { get() { throw new Error('mine') } })`,
    /mine/,
  ),
  throws(
    'an ownKeys trap that lies',
    'return new Proxy(Object.freeze({ a: 1 }), { ownKeys: () => ["b"] })',
    /proxy|ownKeys|key/i,
  ),
  throws(
    'a getOwnPropertyDescriptor trap that lies',
    'Object.keys(new Proxy(Object.freeze({ a: 1 }), { getOwnPropertyDescriptor: () => undefined }))',
    /proxy|inconsistent|getOwnPropertyDescriptor/i,
  ),
  throws(
    'a get trap that lies',
    'return new Proxy(Object.freeze({ a: 1 }), { get: () => 2, ownKeys: () => ["a"] }).a',
    /proxy|inconsistent/i,
  ),
  throws(
    'a revoked proxy',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy.x',
    /revoked/,
  ),
  throws(
    'a proxy that is revoked while it is read',
    'const r = Proxy.revocable({}, { get() { r.revoke(); return () => 1 } }); return { a: r.proxy, b: r.proxy }',
    /revoked/,
  ),
  throws(
    'a handler that is a revoked proxy',
    'const r = Proxy.revocable({}, {}); r.revoke(); return new Proxy({}, r.proxy).x',
    /revoked/,
  ),
  fails('a proxy of a function', 'return new Proxy(() => {}, {})', 'result_not_json', /function/),
  returns('a proxy of an array', 'return new Proxy([1, 2], {})', [1, 2]),
  returns(
    'a proxy that answers everything with itself',
    'const p = new Proxy(() => 1, { get: (t, k) => k === "then" || k === "toJSON" ? undefined : p }); console.log(p); return 1',
    1,
  ),
  throws('a proxy as error', 'throw new Proxy(new Error("mine"), {})', /mine/),
  throws(
    'a proxy as error that lies about everything',
    'throw new Proxy(new Error("mine"), { get: () => ({ toString: () => "svc" }) })',
    /no Error|svc/,
  ),
  throws(
    'a proxy of the global object',
    'return new Proxy(globalThis, {}).main.nothing.more',
    /undefined|nothing/,
  ),
  program(
    'the global object’s prototype is a proxy',
    'Object.setPrototypeOf(globalThis, new Proxy({}, { has() { for (;;); }, get() { for (;;); } })); undefined_name; function main() {}',
    [
      { fails: 'action_timeout' },
      { fails: 'action_threw', says: /immutable|prototype|not defined/ },
    ],
  ),
  program(
    'main is a proxy that counts its calls',
    'var n = 0; main = new Proxy(() => n, { apply: () => ++n })',
    { returns: 1 },
  ),
  program(
    'main is a revoked proxy',
    'const r = Proxy.revocable(() => {}, {}); r.revoke(); var main = r.proxy',
    { fails: 'action_threw', says: /revoked/ },
  ),
]
