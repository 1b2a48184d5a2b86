import { native, returns, throws } from '../program.ts'

/** Lengths, species and callbacks that modify an array during iteration. */
export const arrays = [
  throws('a length of -1', '[].length = -1', /length/),
  throws('a length of 2 ** 32', 'new Array(2 ** 32)', /length/),
  throws('a length that throws', '[].length = { valueOf() { throw new Error("mine") } }', /mine/),
  returns(
    'a length that is two numbers',
    'let n = 2; const a = [1, 2, 3]; try { a.length = { valueOf: () => n-- } } catch (e) { return e.name } return a.length',
    'RangeError',
  ),
  throws('push beyond 2 ** 53 - 1', '[].push.call({ length: 2 ** 53 - 1 }, 1)', /./),
  throws(
    'concat beyond 2 ** 53 - 1',
    'const a = { length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true }; [1].concat(a)',
    /./,
  ),
  throws('a frozen array that is sorted', 'Object.freeze([2, 1]).sort()', /./),
  throws(
    'a species that throws',
    'const a = [1]; a.constructor = { get [Symbol.species]() { throw new Error("mine") } }; a.map(() => 1)',
    /mine/,
  ),
  returns(
    'a species that gives the array itself',
    'const a = [1, 2, 3]; a.constructor = { [Symbol.species]: function () { return a } }; a.filter(() => true); return a.length',
    3,
  ),
  returns(
    'a species that gives a proxy',
    'const a = [1, 2]; a.constructor = { [Symbol.species]: function () { return new Proxy([], { defineProperty: () => true }) } }; a.map((x) => x); return 1',
    1,
  ),
  returns(
    'a comparator that empties the array',
    'const a = Array.from({ length: 1000 }, (_, i) => -i); a.sort((x, y) => { a.length = 0; return x - y }); return 1',
    1,
  ),
  returns(
    'a comparator that fills the array',
    'const a = Array.from({ length: 100 }, (_, i) => -i); a.sort((x, y) => { a.push(1); return x - y }); return 1',
    1,
  ),
  returns(
    'a comparator that lies',
    'return Array.from({ length: 10000 }, (_, i) => i).sort(() => Math.random() - 0.5).length',
    10_000,
  ),
  returns(
    'a comparator that returns odd things',
    'return [3, 1, 2].sort(() => ({ valueOf: () => NaN })).length',
    3,
  ),
  returns(
    'a callback that shortens the array',
    'const a = [1, 2, 3, 4]; return a.map((x) => { a.length = 1; return x }).length',
    4,
  ),
  native(
    'an array that is lengthened while it is walked',
    'const a = [1]; for (const x of a) a.push(x)',
    { wallMs: 1_000 },
  ),
  returns(
    'splice while it is walked',
    'const a = Array.from({ length: 1000 }, (_, i) => i); let n = 0; for (const x of a) { a.splice(0, 1); n++ } return n',
    500,
  ),
  returns(
    'a getter at an index that deletes',
    'const a = [1, 2, 3]; Object.defineProperty(a, 0, { get() { a.length = 0; return 9 }, configurable: true }); return a.slice().length',
    3,
  ),
  returns(
    'indexOf whose fromIndex shortens',
    'const a = [1, 2, 3]; return a.indexOf(3, { valueOf() { a.length = 0; return 0 } })',
    -1,
  ),
  returns(
    'fill whose end shortens',
    'const a = new Array(1000).fill(0); a.fill(1, 0, { valueOf() { a.length = 0; return 1000 } }); return a.length <= 1000',
    true,
  ),
  returns(
    'copyWithin whose end shortens',
    'const a = new Array(1000).fill(0); a.copyWithin(0, 10, { valueOf() { a.length = 0; return 1000 } }); return a.length <= 1000',
    true,
  ),
  returns(
    'apply of arguments that change',
    'const a = [1, 2, 3]; Object.defineProperty(a, 1, { get() { a.length = 1; return 5 } }); return Math.max.apply(null, a) >= 0 || 1',
    1,
  ),
  returns(
    'an array as its own prototype chain',
    'const a = []; Object.setPrototypeOf(a, new Proxy([], { get: (t, k) => k === Symbol.toPrimitive ? undefined : 1 })); return a[5]',
    1,
  ),
  native(
    'an array that is a proxy of 2 ** 32',
    'const p = new Proxy([], { get: (t, k) => k === "length" ? 2 ** 32 - 1 : undefined }); return [].concat(p).length + p.length',
  ),
  native(
    'from an iterator without end',
    'return Array.from((function* () { for (;;) yield 1 })())',
    { wallMs: 1_000 },
  ),
  native(
    'rest of an iterator without end',
    'const [...all] = (function* () { for (;;) yield 1 })()',
    { wallMs: 1_000 },
  ),
  native(
    'groups without end',
    'return Object.fromEntries((function* () { for (let i = 0; ; i++) yield ["k" + i, i] })())',
    { wallMs: 1_000 },
  ),
  native('delete from the front', 'const a = new Array(3e6).fill(0); while (a.length) a.shift()', {
    wallMs: 1_000,
  }),
]
