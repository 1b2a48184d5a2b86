import { native } from '../program.ts'

/** Built-ins that compute forever and never call the engine's interrupt handler. */
export const nativeLoops = [
  native(
    'join of 2 ** 32 - 1 holes',
    'return new Array(2 ** 32 - 1).join(new Array(1000).join("x"))',
  ),
  native('includes over 2 ** 53 - 1', 'return [].includes.call({ length: 2 ** 53 - 1 }, 1)'),
  native('indexOf over 2 ** 53 - 1', 'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)'),
  native('lastIndexOf over 2 ** 53 - 1', 'return [].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'),
  native('reverse of 2 ** 53 - 1', 'return [].reverse.call({ length: 2 ** 53 - 1 })'),
  native('fill of 2 ** 53 - 1', 'return [].fill.call({ length: 2 ** 53 - 1 }, 0)'),
  native('copyWithin of 2 ** 53 - 1', 'return [].copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0)'),
  native('splice of 2 ** 53 - 1', 'return [].splice.call({ length: 2 ** 53 - 1 }, 0, 1)'),
  native('shift of 2 ** 53 - 1', 'return [].shift.call({ length: 2 ** 53 - 1 })'),
  native('unshift of 2 ** 53 - 2', 'return [].unshift.call({ length: 2 ** 53 - 2 }, 1)'),
  native('concat of holes', 'const a = []; a.length = 2 ** 31; return a.concat(a).length'),
  native('flat of holes', 'return new Array(2 ** 32 - 1).flat().length'),
  native('sort of 2 ** 53 - 1', 'return [].sort.call({ length: 2 ** 53 - 1 })'),
  native('forEach over holes', 'new Array(2 ** 32 - 1).forEach(() => {})'),
  native('reduce over holes', 'return new Array(2 ** 32 - 1).reduce((a) => a, 0)'),
  native('find over holes', 'return new Array(2 ** 32 - 1).findLast((x) => x)'),
  native(
    'at of a joined array of arrays',
    'let a = ["x".repeat(1000)]; for (let i = 0; i < 30; i++) a = [a, a]; return String(a).length',
  ),
  native(
    'indexOf of a text in a text',
    'const a = "a".repeat(2e7), b = "a".repeat(1e7) + "b"; return a.indexOf(b)',
  ),
  native(
    'lastIndexOf of a text in a text',
    'const a = "a".repeat(2e7), b = "a".repeat(1e7) + "b"; return a.lastIndexOf(b)',
  ),
  native(
    'split of a long text again and again',
    'const a = "a".repeat(5e6); for (;;) a.split("aaaaaaaaaab")',
  ),
  native('replaceAll', 'const a = "a".repeat(5e6); for (;;) a.replaceAll("ab", "c")'),
  native(
    'normalize',
    'const a = "\\u0344\\u1e9b\\u0323".repeat(2e6); for (;;) a.normalize("NFKD")',
  ),
  native(
    'normalize of many marks',
    'return ("a" + "\\u0315\\u0300".repeat(5e6)).normalize("NFD").length',
    { finite: true },
  ),
  native('toUpperCase', 'const a = "ß".repeat(5e6); for (;;) a.toUpperCase()'),
  native('localeCompare', 'const a = "é".repeat(5e6); for (;;) a.localeCompare(a + "x")'),
  native(
    'comparison of long texts',
    'const a = "a".repeat(1e7), b = "a".repeat(1e7) + "b"; for (;;) a < b',
  ),
  native('isWellFormed', 'const a = "\\u4e00".repeat(1e7); for (;;) a.isWellFormed()'),
  native('encodeURIComponent', 'const a = "é".repeat(1e6); for (;;) encodeURIComponent(a)'),
  native('escape and unescape', 'const a = "é".repeat(1e6); for (;;) unescape(escape(a))'),
  native('parseFloat of ten million digits', 'const a = "1".repeat(1e7); for (;;) parseFloat(a)'),
  native('Number of ten million digits', 'const a = "0".repeat(1e7) + "1"; for (;;) Number(a)'),
  native('toString with a radix', 'for (;;) (Math.PI * 1e308).toString(2)'),
  native(
    'typed arrays: sort',
    'const a = new Float64Array(2e6).map((_, i) => -i); for (;;) a.slice().sort()',
  ),
  native('typed arrays: indexOf', 'const a = new Uint8Array(3e7); for (;;) a.indexOf(1)'),
  native('typed arrays: fill', 'const a = new Uint32Array(7e6); for (;;) a.fill(1)'),
  native('typed arrays: set', 'const a = new Uint8Array(2e7); for (;;) a.set(a.subarray(1))'),
  native('typed arrays: from an array-like', 'return new Uint8Array({ length: 2 ** 30 })'),
  native('typed arrays: join', 'return new Uint8Array(3e7).join("0123456789").length', {
    finite: true,
  }),
  native('slices of a buffer', 'const a = new ArrayBuffer(2e7); for (;;) a.slice(0)'),
  native('Object.assign of a large text', 'for (;;) Object.assign({}, "x".repeat(1e6))'),
  native(
    'a sort of equal texts',
    'const a = new Array(1e5).fill("x".repeat(1e5)); for (;;) a.slice().sort()',
  ),
  native('String.raw', 'return String.raw({ raw: { length: 2 ** 53 - 1 } })'),
  native('apply with 2 ** 31 arguments', 'return Math.max.apply(null, { length: 2 ** 31 - 1 })'),
  native(
    'Reflect.ownKeys of a large array',
    'const a = new Array(1e6).fill(0); for (;;) Reflect.ownKeys(a).length',
  ),
  native(
    'for in over a chain of large prototypes',
    'let o = {}; for (let d = 0; d < 50; d++) { o = Object.create(o); for (let i = 0; i < 3000; i++) o["k" + d + "_" + i] = 1 } for (;;) for (const k in o);',
  ),
]
