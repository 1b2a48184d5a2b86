import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../any-text.ts'
import { canonicalJson, NotCanonical } from '../../shared/derived-action/canonical-json.ts'
import { JSON_DEPTH_MAX } from '../../shared/limits.ts'
import { canonicalJson as outsiders } from '../conformance/spec-client/derived-action.ts'

/** Independent implementation of RFC 8785 that compares code units one by one. */
function independent(value: unknown): string {
  if (Array.isArray(value)) return '['.concat(value.map(independent).join(), ']')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([one], [other]) => byCodeUnits(one, other))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${independent(inner)}`).join()}}`
}

function byCodeUnits(one: string, other: string): number {
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const difference = one.charCodeAt(at) - other.charCodeAt(at)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** Names that sort differently as numbers, by code point, by locale or in the insertion order of engines. */
const name = fc
  .oneof(
    fc.constantFrom(
      '10',
      '9',
      '1e3',
      '-1',
      '01',
      '4294967295',
      '__proto__',
      'constructor',
      'toJSON',
    ),
    fc.constantFrom('\u{10000}', '\ue000', '\uffff', 'é', 'e\u0301', 'Z', 'a', '', '"', '\\', '\n'),
    anyText(),
  )
  .map((text) => (isMisread(text) ? `${text}.` : text))

/**
 * Works around a bug of JSON.parse in Node 24, which sometimes reads a name of one escaped character as a backslash.
 */
function isMisread(text: string): boolean {
  return text.length === 1 && JSON.stringify(text).length > 3
}

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, false, 0, -0, 2 ** 53 - 1, 1 - 2 ** 53, '\u2028'),
    fc.maxSafeInteger(),
    anyText(),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value'), { noNullPrototype: false }),
  ),
}))

/** Reorders the members of every object in a value. */
function shuffled(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order))
  if (typeof value !== 'object' || value === null) return value
  const copy: object = {}
  for (const key of order(Object.keys(value))) {
    const inner = shuffled(Object.getOwnPropertyDescriptor(value, key)?.value, order)
    const data = { value: inner, enumerable: true, writable: true, configurable: true }
    Object.defineProperty(copy, key, data)
  }
  return copy
}

describe('canonical JSON', () => {
  it('equals the output of two other implementations for any JSON value with safe integers', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonicalJson(value)).toBe(independent(value))
        expect(canonicalJson(value)).toBe(outsiders(value))
      }),
      { numRuns: 500 },
    )
  })

  it('parses to the same value, which serializes to the same text', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = canonicalJson(value)
        const inOrder = (read: unknown) => JSON.stringify(shuffled(read, (keys) => keys.toSorted()))
        expect(inOrder(JSON.parse(text))).toBe(inOrder(value))
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('does not depend on the insertion order of members', () => {
    fc.assert(
      fc.property(anyValue, fc.infiniteStream(fc.nat()), (value, numbers) => {
        const any = (keys: string[]) =>
          keys
            .map((key) => [Number(numbers.next().value), key] as const)
            .toSorted(([one], [other]) => one - other)
            .map(([, key]) => key)
        expect(canonicalJson(shuffled(value, any))).toBe(canonicalJson(value))
        expect(canonicalJson(shuffled(value, (keys) => keys.toReversed()))).toBe(
          canonicalJson(value),
        )
      }),
    )
  })

  it.each<[string, unknown, string]>([
    [
      'by code units, and not by code points',
      { '\ue000': 1, '\u{10000}': 2 },
      '{"\u{10000}":2,"\ue000":1}',
    ],
    ['integer-like names as text', { 9: 1, 10: 2, '1e3': 3 }, '{"10":2,"1e3":3,"9":1}'],
    ['capitals before small letters', { a: 1, Z: 2 }, '{"Z":2,"a":1}'],
    ['a name before one that it begins', { ab: 1, a: 2, '': 3 }, '{"":3,"a":2,"ab":1}'],
  ])('sorts names %s', (_what, value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it.each<[string, unknown, string]>([
    ['-0, which is 0 for every party', -0, '0'],
    ['2^53 - 1', 2 ** 53 - 1, '9007199254740991'],
    ['-(2^53 - 1)', 1 - 2 ** 53, '-9007199254740991'],
    ['1e15, without an exponent', 1e15, '1000000000000000'],
    [
      'the escapes of JSON.stringify',
      '\b\t\n\f\r"\\\u0001\u007f/',
      '"\\b\\t\\n\\f\\r\\"\\\\\\u0001\u007f/"',
    ],
    ['line separators as they are', '\u2028\u2029', '"\u2028\u2029"'],
    ['an own member that is named __proto__', JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['names of one escaped character', { '\u000b': 1, '"': 2 }, '{"\\u000b":1,"\\"":2}'],
    ['empty ones', [{}, [], ''], '[{},[],""]'],
  ])('writes %s', (_what, value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('writes repeated references in full', () => {
    const shared = { a: 1 }
    expect(canonicalJson([shared, { shared }])).toBe('[{"a":1},{"shared":{"a":1}}]')
  })

  it(`writes ${JSON_DEPTH_MAX} levels`, () => {
    const text = '['.repeat(JSON_DEPTH_MAX) + ']'.repeat(JSON_DEPTH_MAX)
    expect(canonicalJson(JSON.parse(text))).toBe(text)
  })
})

/** @returns the error that a value is rejected with */
function refusalOf(value: unknown, options = {}): NotCanonical {
  try {
    canonicalJson(value, options)
  } catch (error) {
    if (error instanceof NotCanonical) return error
    throw error
  }
  throw new Error('it was written')
}

class Point {
  x = 1
}
const cycle: Record<string, unknown> = {}
cycle['a'] = [{ b: cycle }]
const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false })
const toJson = { toJSON: () => 'another' }
// oxlint-disable-next-line no-sparse-arrays
const sparse = [1, , 3]

describe('rejects, with the path', () => {
  it.each<[string, unknown, string]>([
    ['a fraction', { a: [0, 1, { b: 1.5 }] }, 'manifest.a[2].b'],
    ['the smallest fraction', [Number.MIN_VALUE], 'manifest[0]'],
    ['NaN', { a: NaN }, 'manifest.a'],
    ['infinity', { a: -Infinity }, 'manifest.a'],
    ['2^53', { a: 2 ** 53 }, 'manifest.a'],
    ['1e21, which JSON.stringify would write with an exponent', 1e21, 'manifest'],
    ['a bigint', { a: 1n }, 'manifest.a'],
    ['undefined', undefined, 'manifest'],
    ['undefined as a member, which JSON.stringify leaves out', { a: undefined }, 'manifest.a'],
    ['undefined as an item, which JSON.stringify makes null', [1, undefined], 'manifest[1]'],
    ['a function', { a: { b: () => 1 } }, 'manifest.a.b'],
    ['a symbol', { a: Symbol('s') }, 'manifest.a'],
    ['a member named by a symbol', { a: { [Symbol('s')]: 1 } }, 'manifest.a'],
    ['a cycle', cycle, 'manifest.a[0].b'],
    ['a Date', { at: new Date(0) }, 'manifest.at'],
    ['a Map', { map: new Map() }, 'manifest.map'],
    ['bytes', [new Uint8Array(2)], 'manifest[0]'],
    ['an instance of a class', { point: new Point() }, 'manifest.point'],
    ['an object that inherits', Object.create({ a: 1 }), 'manifest'],
    ['a boxed number', { n: Object(1) }, 'manifest.n'],
    ['a boxed string', [Object('text')], 'manifest[0]'],
    ['an array with a hole', { a: sparse }, 'manifest.a[1]'],
    ['an array of nothing but holes', Array(2 ** 32 - 1), 'manifest[0]'],
    ['an array with more than items', Object.assign([1], { extra: 2 }), 'manifest'],
    ['an array of a class of its own', new (class extends Array {})(), 'manifest'],
    [
      'an accessor',
      {
        get a() {
          return 1
        },
      },
      'manifest.a',
    ],
    ['a hidden member', hidden, 'manifest.b'],
    ['an object that says itself what its JSON is', { a: toJson }, 'manifest.a.toJSON'],
    ['half a surrogate pair', ['\ud800'], 'manifest[0]'],
    ['the other half', { a: 'x\udc00' }, 'manifest.a'],
    ['a name with half a surrogate pair', { 'a\ud800': 1 }, 'manifest["a\\ud800"]'],
    ['what a name is that is no identifier', { 'a b': { '1': 0.5 } }, 'manifest["a b"]["1"]'],
  ])('%s', (_what, value, path) => {
    const refused = refusalOf(value, { name: 'manifest' })
    expect(refused.path).toBe(path)
    expect(refused.message).toMatch(/^manifest.*: ./)
  })

  it('deep nesting, without a stack overflow', () => {
    const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))
    expect(refusalOf(deep).message).toContain(`deeper than ${JSON_DEPTH_MAX} levels`)
  })

  it('billion laughs: a few shared objects with a text that would exhaust the memory', () => {
    let bomb: unknown = 'laugh'
    for (let level = 0; level < 40; level++) bomb = [bomb, bomb]
    expect(refusalOf(bomb).message).toMatch(/longer than \d+ characters/)
  })

  it('a secret value, which stays out of the message', () => {
    expect(refusalOf({ a: 'secret\ud800' }).message).not.toContain('secret')
    expect(refusalOf({ a: 1234.5678 }).message).not.toContain('1234')
  })

  it('two-faced proxy: reads each property once, so that it writes what it checked', () => {
    let reads = 0
    const target = { a: 1 }
    const faces = new Proxy(target, {
      getOwnPropertyDescriptor: (_target, key) => ({
        value: key === 'a' && reads++ === 0 ? 1 : 0.5,
        enumerable: true,
        configurable: true,
        writable: true,
      }),
    })
    expect(canonicalJson(faces)).toBe('{"a":1}')
    expect(reads).toBe(1)
  })
})
