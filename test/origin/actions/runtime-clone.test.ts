import { describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()

/** Name, an expression that creates a value, and one that shows `value` and its `clone`. */
const CASES: [string, string, string][] = [
  [
    'primitives',
    '[1, -0, NaN, "a\\0", null, undefined, true, 2n]',
    'clone.map((x) => [typeof x, String(x), Object.is(x, -0)])',
  ],
  [
    'an object, own enumerable text keys only',
    '({ a: 1, [Symbol("s")]: 2, get b() { return 3 } })',
    '[Object.getOwnPropertyNames(clone), Object.getOwnPropertySymbols(clone).length, Object.getOwnPropertyDescriptor(clone, "b").value]',
  ],
  [
    'a key named __proto__',
    'JSON.parse(\'{"__proto__": {"x": 1}}\')',
    '[Object.keys(clone), clone.x ?? "unset"]',
  ],
  [
    'an object without a prototype',
    'Object.assign(Object.create(null), { a: 1 })',
    '[Object.getPrototypeOf(clone) === Object.prototype, clone.a]',
  ],
  [
    'an object of a class of its own',
    'new (class A { x = 1; get y() { return 2 } })()',
    '[Object.getPrototypeOf(clone) === Object.prototype, clone]',
  ],
  [
    'an array with holes and a name',
    'Object.assign([1, , 3], { name: "n" })',
    '[1 in clone, clone.length, clone.name]',
  ],
  [
    'a map and a set, which hold each other',
    '(() => { const m = new Map(), s = new Set([m, 1]); m.set(s, { m }); return m })()',
    '[clone.size, [...[...clone.keys()][0]][0] === clone, [...clone.values()][0].m === clone]',
  ],
  [
    'a cycle',
    '(() => { const a = { b: [] }; a.b.push(a, a.b); return a })()',
    '[clone.b[0] === clone, clone.b[1] === clone.b, clone !== value]',
  ],
  ['one object twice', '(() => { const a = {}; return [a, a] })()', 'clone[0] === clone[1]'],
  [
    'dates',
    '[new Date(5), new Date(NaN)]',
    '[clone[0] instanceof Date, clone[0].getTime(), String(clone[1])]',
  ],
  [
    'a regular expression',
    'Object.assign(/a(?<n>b)/giu, { lastIndex: 3 })',
    '[clone.source, clone.flags, clone.lastIndex]',
  ],
  [
    'boxes',
    '[Object(1), Object("s"), Object(true), Object(3n)]',
    'clone.map((x) => [typeof x, typeof x.valueOf(), String(x), Object.prototype.toString.call(x)])',
  ],
  [
    'buffers',
    '(() => { const b = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer; return [b, new Uint8Array(b, 2, 3), new DataView(b, 1, 4), new BigInt64Array(b), new Float32Array(b, 4)] })()',
    '[clone.map((x) => x.byteLength), clone[1].buffer === clone[0], clone[1].byteOffset, [...clone[1]], clone[2].getUint8(0), String(clone[3][0]), clone[4].constructor.name, clone[0] === value[0]]',
  ],
  [
    'errors',
    '[new Error("e", { cause: { a: 1 } }), new RangeError("r"), Object.assign(new Error("x"), { name: "TypeError", code: 5 }), Object.assign(new Error("x"), { name: "Mine" }), new SyntaxError()]',
    'clone.map((e) => [e instanceof Error, e.constructor.name, e.name, e.message, e.cause, e.code, Object.hasOwn(e, "message"), typeof e.stack])',
  ],
  [
    'an error with an odd message',
    'Object.assign(new Error(), { message: { toString() { return "m" } } })',
    'clone.message',
  ],
  [
    'a DOMException',
    'new DOMException("m", "AbortError")',
    '[clone instanceof DOMException, clone.name, clone.message, clone.code]',
  ],
  ['a function', '() => 1', '1'],
  ['a symbol', 'Symbol("s")', '1'],
  ['a method inside', '({ a: [{ f() {} }] })', '1'],
  ['a promise', 'Promise.resolve(1)', '1'],
  ['a weak map', 'new WeakMap()', '1'],
  ['a weak reference', 'new WeakRef({})', '1'],
  ['a generator', '(function* () {})()', '1'],
  ['a getter that throws', '({ get a() { throw new RangeError("mine") } })', '1'],
  ['headers', 'new Headers({ a: "1" })', '1'],
  ['a URL', 'new URL("https://a.example")', '1'],
  [
    'a map with a changed prototype',
    'Object.setPrototypeOf(new Map([[1, 2]]), Array.prototype)',
    '[Object.prototype.toString.call(clone), clone.size]',
  ],
  [
    'a transferred buffer',
    '[new ArrayBuffer(8)]',
    '(() => { const b = value[0]; const c = structuredClone({ v: new Uint8Array(b) }, { transfer: [b] }); return [b.byteLength, c.v.length] })()',
  ],
  [
    'a buffer that is transferred twice',
    '[new ArrayBuffer(8)]',
    'structuredClone(1, { transfer: [value[0], value[0]] })',
  ],
  [
    'a detached buffer',
    '(() => { const b = new ArrayBuffer(8); structuredClone(b, { transfer: [b] }); return b })()',
    '1',
  ],
]

describe('structuredClone', () => {
  it.each(CASES)('of %s behaves as in Node', (_name, value, shown) =>
    sameAsNode(sandbox, [{ value, shown }], (given) => {
      // oxlint-disable-next-line no-implied-eval -- Node and the sandbox evaluate the same text
      const made: unknown = new Function(`return ${given.value}`)()
      // oxlint-disable-next-line no-implied-eval
      return new Function('value', 'clone', `return ${given.shown}`)(
        made,
        structuredClone(made),
      ) as unknown
    }),
  )

  it('rejects every web object except DOMException', async () => {
    const code = `const main = () => {
      const values = [new AbortController(), new AbortController().signal, new Event('e'), new EventTarget(),
        new TextEncoder(), new TextDecoder(), new Request('https://a.example'), new Response(), new Headers(),
        new URLSearchParams(), performance]
      return values.filter((value) => {
        try { structuredClone(value); return true } catch (error) { return error.name !== 'DataCloneError' }
      }).map(String)
    }`
    expect(await sandbox.value(code)).toEqual([])
  })

  it('rejects with a DataCloneError', async () => {
    const code = `const main = () => {
      try { structuredClone({ f() {} }) } catch (error) { return [error.name, error.code, error.message] }
    }`
    const message = 'structuredClone: a function cannot be cloned'
    expect(await sandbox.value(code)).toEqual(['DataCloneError', 25, message])
  })

  it('of endless depth throws an error that the action can catch', async () => {
    const code = `const main = () => {
      let deep = {}; for (let i = 0; i < 1e5; i++) deep = { deep }
      try { structuredClone(deep) } catch (error) { return error.message }
    }`
    expect(await sandbox.value(code)).toBe('stack overflow')
  })
})
