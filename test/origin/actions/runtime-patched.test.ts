import { describe, expect, it } from 'vitest'
import { readGuestSources } from '../../../origin/actions/engine/guest-sources.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()

/** Collects every prelude object that becomes visible, and finally checks if a host function is among them. */
const WATCH = `
  const watched = new Set()
  const toWatched = Set.prototype.add.bind(watched)
  const AnyObject = Object
  const keep = (value) => { if (AnyObject(value) === value) toWatched(value) }
  const HOST = ['finish', 'setTimer', 'operation', 'abandon', 'monotonicMs', 'encodeText', 'logsMaxBytes']
  const walk = Set.prototype.forEach.bind(watched)
  const leaks = () => {
    let found = 0
    walk((value) => {
      for (let name = 0; name < HOST.length; name++) {
        try { if (HOST[name] in value) found++ } catch {}
        try { if (typeof value === 'function' && value.name === HOST[name]) found++ } catch {}
      }
    })
    return found
  }
  const count = () => { let n = 0; walk(() => { n++ }); return n }`

const NO_KEYS_MESSAGE = 'this test grants no keys'
const refused = (call: string) => `try { await Svc.Actions.${call} } catch (e) { return e.message }`

/** Everything that the prelude offers, called with plain values that have no custom conversions. */
const USES: Record<string, [code: string, value: unknown]> = {
  console: ['console.log("line", {}, [1], 2n, null, () => 1); console.assert(false); return 1', 1],
  encoder: ['const b = new TextEncoder().encode("é"); return [b[0], b[1]]', [0xc3, 0xa9]],
  'encoder into': ['return new TextEncoder().encodeInto("é", new Uint8Array(9)).written', 2],
  decoder: [
    'const d = new TextDecoder("utf-16le"), bytes = new Uint8Array(3); bytes[0] = 97; bytes[2] = 98; return d.decode(bytes, { stream: true }) + d.decode()',
    'a\ufffd',
  ],
  base64: ['return atob(btoa("abc"))', 'abc'],
  random: [
    'return crypto.getRandomValues(new Uint8Array(8)) !== undefined && crypto.randomUUID().length',
    36,
  ],
  digest: [
    'const d = new Uint8Array(await crypto.subtle.digest("SHA-1", new Uint8Array(1))); return d[0]',
    0x5b,
  ],
  url: [
    'const u = new URL("https://a.example/?a=1"); u.port = "81"; u.searchParams.set("b", "2"); return u.href',
    'https://a.example:81/?a=1&b=2',
  ],
  query: [
    'const p = new URLSearchParams("b=1&a=2"); p.append("c", "3"); p.delete("b"); p.sort(); return p.toString() + p.get("c") + p.has("x")',
    'a=2&c=33false',
  ],
  headers: [
    'const h = new Headers({ b: "1" }); h.append("a", " 2 "); h.append("a", "3"); h.set("c", "4"); h.delete("b"); let all = ""; h.forEach((v, k) => { all += k + v }); return all',
    'a2, 3c4',
  ],
  request: [
    'const r = new Request("https://a.example", { method: "post", body: "x", headers: { a: "1" } }); return r.method + r.headers.get("content-type") + await r.clone().text()',
    'POSTtext/plain;charset=UTF-8x',
  ],
  response: [
    'const r = new Response("{\\"a\\":1}", { status: 201 }); return (await r.clone().json()).a + r.status + (await r.text()).length',
    1 + 201 + 7,
  ],
  clone: [
    'const m = { d: new Date(5), b: new Uint8Array(1) }; return structuredClone(m) !== m && structuredClone({ a: [1, "x"] }).a.length',
    2,
  ],
  abort: [
    'const c = new AbortController(); let n = 0; c.signal.onabort = () => { n++ }; AbortSignal.timeout(1e4); c.abort(); return n + c.signal.reason.code',
    21,
  ],
  event: [
    'const t = new EventTarget(); let n = 0; t.addEventListener("x", () => { n++ }, { once: true }); t.dispatchEvent(new Event("x")); t.dispatchEvent(new Event("x")); return n',
    1,
  ],
  clock: ['return performance.now() >= 0', true],
  timers: [
    'let n = 0; const id = setInterval(() => { n++ }, 1e6); clearInterval(id); clearTimeout(setTimeout(() => {}, 1e6)); return id > 0 && n',
    0,
  ],
  microtask: ['let n = 0; queueMicrotask(() => { n++ }); await null; await null; return n', 1],
  signMessage: [refused('signMessage({ pkpId: "0x", message: "é" })'), NO_KEYS_MESSAGE],
  signTypedData: [
    refused(
      'signTypedData({ pkpId: "0x", domain: { chainId: 1n }, types: { A: [] }, value: { b: new Uint8Array(1), c: true } })',
    ),
    NO_KEYS_MESSAGE,
  ],
  signTransaction: [
    refused('signTransaction({ pkpId: "0x", transaction: { to: null, nonce: 1, value: "1" } })'),
    NO_KEYS_MESSAGE,
  ],
  sendTransaction: [
    refused(
      'sendTransaction({ pkpId: "0x", chain: "base", to: "0x", value: 1n, errors: ["A()"] })',
    ),
    NO_KEYS_MESSAGE,
  ],
  transaction: [
    refused('transaction({ id: "tx_", waitFor: "mined", timeoutMs: 1 })'),
    NO_KEYS_MESSAGE,
  ],
  signDigest: [refused('signDigest({ pkpId: "0x", digest: new Uint8Array(32) })'), NO_KEYS_MESSAGE],
  fetch: [
    'let m; try { await fetch("https://u:p@a.example") } catch (e) { m = e.message }; return m',
    'Request: the URL has a user name or password; send a header instead',
  ],
}

const NAMES = Object.keys(USES)
const USE_ALL = `
  const uses = { ${NAMES.map((name) => `'${name}': async () => { ${USES[name]?.[0]} }`).join(',\n')} }
  const useAll = async (names) => {
    const results = { __proto__: null }
    for (let at = 0; at < names.length; at++) {
      try { results[names[at]] = await uses[names[at]]() } catch (error) { results[names[at]] = 'threw ' + error }
    }
    return results
  }`
const EXPECTED = Object.fromEntries(NAMES.map((name) => [name, USES[name]?.[1]]))

/** Replaces every replaceable function with one that records its arguments and throws. */
const REPLACE_ALL = `
  const seenObjects = new Set()
  const replaceIn = (object, path) => {
    if (Object(object) !== object || seenObjects.has(object)) return
    seenObjects.add(object)
    for (const key of Reflect.ownKeys(object)) {
      const descriptor = Object.getOwnPropertyDescriptor(object, key)
      const name = path + '.' + String(key)
      if ('value' in descriptor) replaceIn(descriptor.value, name)
      if (typeof key === 'string' && /^(constructor|prototype|length|name)$/.test(key)) continue
      plan.push([object, key, descriptor, name])
    }
  }
  const plan = []
  const calls = { __proto__: null, count: 0 }
  for (const name of ['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Math', 'JSON',
    'Reflect', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Date', 'RegExp', 'Error', 'TypeError', 'RangeError', 'ArrayBuffer',
    'DataView', 'Uint8Array', 'Uint16Array', 'Iterator', 'Proxy', 'Promise']) replaceIn(globalThis[name], name)
  replaceIn(Object.getPrototypeOf(Uint8Array), 'TypedArray')
  replaceIn(Object.getPrototypeOf([][Symbol.iterator]()), 'ArrayIterator')
  replaceIn(Object.getPrototypeOf(new Map().entries()), 'MapIterator')
  const put = Object.defineProperty
  const replaceAll = () => {
    for (let at = 0; at < plan.length; at++) {
      const object = plan[at][0], key = plan[at][1], descriptor = plan[at][2], name = plan[at][3]
      const spy = function () {
        calls[calls.count++] = name
        keep(this)
        for (let n = 0; n < arguments.length; n++) keep(arguments[n])
        throw 'replaced ' + name
      }
      if (!descriptor.configurable) continue
      if (typeof descriptor.value === 'function') put(object, key, { __proto__: null, value: spy, configurable: true })
      else if (descriptor.get) put(object, key, { __proto__: null, get: spy, configurable: true })
    }
  }`

describe('the prelude avoids syntax through which an action could inject code:', () => {
  const partsWith = (syntax: RegExp) =>
    Object.entries(readGuestSources().prelude)
      .filter(([, text]) => syntax.test(text.replaceAll(/\/\*.*?\*\//gs, '')))
      .map(([part]) => part)

  it('templates, for which the engine calls the current String.prototype.concat', () => {
    // In `svc`, only error messages use them.
    expect(partsWith(/\$\{/)).toEqual([])
  })

  it("array spread and destructuring, which call the array's iterator", () => {
    expect(partsWith(/[[(,]\s*\.\.\.(?!\w+\) (=>|\{))|(?<!for \()(const|let) \[/)).toEqual([])
  })

  it('for-of, except in loops that run while the prelude loads', () => {
    const atLoad = ['exceptions', 'timers', 'iterators', 'url', 'webidl', 'body']
    expect(partsWith(/\bfor (await )?\(.* of /).filter((part) => !atLoad.includes(part))).toEqual(
      [],
    )
  })
})

describe('an action that replaces every built-in function', () => {
  it("does not change the prelude's behavior and is never called by it", async () => {
    const code = `${WATCH}; ${REPLACE_ALL}; ${USE_ALL}
      async function main({ names }) {
        replaceAll()
        const results = await useAll(names)
        return { results, called: calls.count === 0 ? 0 : calls, leaks: leaks(), planned: plan.length }
      }`
    const value = (await sandbox.value(code, { names: NAMES })) as { planned: number }
    expect(value).toMatchObject({ results: EXPECTED, called: 0, leaks: 0 })
    expect(value.planned).toBeGreaterThan(400)
  })

  it('replaces the web globals only for itself', async () => {
    const code = `${USE_ALL}
      async function main({ names }) {
        const Kept = { URL, TextDecoder, Headers, Request, Response, AbortSignal, Event, EventTarget }
        for (const name of ['dispatchEvent', 'addEventListener']) EventTarget.prototype[name] = () => { throw 1 }
        for (const name of ['has', 'append', 'get']) Headers.prototype[name] = () => { throw 2 }
        for (const name of ['toString', 'get']) URLSearchParams.prototype[name] = () => { throw 3 }
        TextEncoder.prototype.encode = TextDecoder.prototype.decode = () => { throw 4 }
        const { Headers: H } = Kept
        globalThis.Headers = globalThis.URL = globalThis.TextEncoder = globalThis.DOMException = undefined
        const made = new Request('https://a.example', { method: 'POST', body: new URLSearchParams('a=1') })
        return [await made.text(), [...made.headers], (await new Response('ü').text())]
      }`
    const type = 'application/x-www-form-urlencoded;charset=UTF-8'
    expect(await sandbox.value(code)).toEqual(['a=1', [['content-type', type]], 'ü'])
  })
})

it('an action that replaces every built-in function gains nothing from a key operation', async () => {
  const code = `${WATCH}; ${REPLACE_ALL}
    async function main() {
      replaceAll()
      let outcome
      try { outcome = await Svc.Actions.getSvcActionPrivateKey() } catch (error) { outcome = String(error.message ?? error) }
      return { outcome, leaks: leaks() }
    }`
  const value = (await sandbox.value(code)) as { outcome: string; leaks: number }
  expect(value.leaks).toBe(0)
  expect(value.outcome).toMatch(/^this test grants no keys$|^replaced /)
})

describe('an action that pollutes Object.prototype and Array.prototype', () => {
  const FIELDS = [
    'get set writable enumerable configurable code message stack bytes used url callback args repeats ms resolve',
    'reject failure buffer offset href text next gone listeners toJSON then once signal fatal stream ignoreBOM method',
    'headers body redirect status cause capture transfer name bubbles handleEvent getReader 0 1 2 7',
  ].flatMap((line) => line.split(' '))

  it.each(['Object', 'Array'])(
    'with getters and setters on %s.prototype obtains no host function',
    async (owner) => {
      const code = `${WATCH}; ${USE_ALL}
      async function main({ names, fields, owner }) {
        const put = Object.defineProperty
        const { prototype } = globalThis[owner]
        for (let at = 0; at < fields.length; at++) {
          put(prototype, fields[at], { __proto__: null, configurable: true,
            get() { keep(this); return undefined }, set(value) { keep(this); keep(value) } })
        }
        const results = await useAll(names)
        for (let at = 0; at < fields.length; at++) delete prototype[fields[at]]
        return { done: Object.keys(results).length, leaks: leaks(), kept: count() }
      }`
      const value = (await sandbox.value(code, { names: NAMES, fields: FIELDS, owner })) as object
      expect(value).toMatchObject({ done: NAMES.length, leaks: 0, kept: expect.any(Number) })
      expect((value as { kept: number }).kept).toBeGreaterThan(0)
    },
  )

  it('with a toJSON does not change any text that the prelude sends', async () => {
    const code = `${USE_ALL}
      async function main({ names }) {
        for (const Class of [Object, Array, String, Number, Boolean]) Class.prototype.toJSON = () => 'mine'
        const results = await useAll(names)
        for (const Class of [Object, Array, String, Number, Boolean]) delete Class.prototype.toJSON
        return results
      }`
    expect(await sandbox.value(code, { names: NAMES })).toEqual(EXPECTED)
  })

  it('with a custom iterator changes only how its own lists are read', async () => {
    const code = `${USE_ALL}
      async function main({ names }) {
        const { iterator } = Symbol
        const before = Array.prototype[iterator]
        Array.prototype[iterator] = function* () { yield ['stolen', 'x'] }
        const results = await useAll(names)
        let own
        try { new URLSearchParams([['a', '1']]) } catch (error) { own = error.name }
        Array.prototype[iterator] = before
        return { results, own }
      }`
    const read = (await sandbox.value(code, { names: NAMES })) as { results: object; own: unknown }
    expect(read).toEqual({ results: EXPECTED, own: 'TypeError' })
  })

  it('with a then on every object gets action_pending, as for a promise that never settles', async () => {
    const code = `Object.prototype.then = function () {}
      async function main() { return Svc.Actions.getSvcActionPrivateKey().catch(() => ({})) }`
    expect(failed(await sandbox.run(code)).code).toBe('action_pending')
    expect(returned(await sandbox.run('const main = () => typeof {}.then')).value).toBe(
      '"undefined"',
    )
  })
})

describe('an action that replaces promise methods', () => {
  it.each([
    ['Promise.prototype.then', 'Promise.prototype.then = () => { throw new Error("mine") }'],
    [
      'the species',
      'Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("mine") } })',
    ],
    ['Promise itself', 'globalThis.Promise = class { constructor() { throw new Error("mine") } }'],
    [
      'Promise.resolve',
      'Promise.resolve = Promise.withResolvers = () => { throw new Error("mine") }',
    ],
  ])('by %s still gets its timers, microtasks and operations', async (_name, patch) => {
    const code = `${USE_ALL}
      async function main({ names }) {
        ${patch}
        return await useAll(names)
      }`
    expect(await sandbox.value(code, { names: NAMES })).toEqual(EXPECTED)
  })

  it('by a constructor of all promises obtains no host function', async () => {
    const code = `${WATCH}; ${USE_ALL}
      async function main({ names }) {
        const Native = Promise
        class Spy extends Native {
          constructor(executor) { super((...both) => { both.forEach(keep); executor(...both) }) }
          then(...both) { both.forEach(keep); return super.then(...both) }
        }
        Native.prototype.constructor = Spy
        Native.prototype.then = new Proxy(Native.prototype.then, {
          apply(target, self, args) { keep(self); args.forEach(keep); return Reflect.apply(target, self, args) } })
        const results = await useAll(names)
        Native.prototype.constructor = Native
        return { results, leaks: leaks(), kept: count() > 0 }
      }`
    const value = await sandbox.value(code, { names: NAMES })
    expect(value).toEqual({ results: EXPECTED, leaks: 0, kept: true })
  })
})

describe('an action that inspects the functions of the prelude', () => {
  it.each([
    [
      'their caller',
      `const f = function () { return f.caller }; let c; setTimeout(() => {}); queueMicrotask(function () { try { c = arguments.callee.caller } catch {} })`,
    ],
    [
      'the stack of an error',
      'let c; Error.prepareStackTrace = (e, frames) => { c = frames.map((f) => f.getFunction?.()) }; try { new URL("x") } catch (e) { e.stack }',
    ],
    [
      'a this',
      'let c; structuredClone({ get a() { c = this; return 1 } }); setTimeout(function () { c = this })',
    ],
  ])('through %s finds nothing', async (_name, statements) => {
    const code = `${WATCH}
      async function main() {
        ${statements}
        await new Promise((done) => setTimeout(done, 5))
        keep(c)
        return [leaks(), typeof c === 'function']
      }`
    expect(await sandbox.value(code)).toEqual([0, false])
  })

  it('by calling its main again, or reporting twice, gets one outcome', async () => {
    const code = `let n = 0
      async function main() {
        n++
        if (n === 1) { queueMicrotask(() => { throw new Error('late') }); return main() }
        return n
      }`
    const result = await sandbox.run(code)
    expect(['returned', 'failed']).toContain(result.kind)
  })
})
