/** `JSON.parse` is the reference for all of these tests. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../any-text.ts'
import { JsonText } from '../../../origin/http/json/json-text.ts'
import { readMembers } from '../../../origin/http/json/members.ts'
import { NestedTooDeeplyError, NotJsonError } from '../../../origin/http/json/scan.ts'
import { BODY_DEPTH_MAX } from '../../../shared/limits.ts'

const NAMES = ['code', 'js_params', 'run']
const read = (text: string) =>
  readMembers(Buffer.from(text), { names: NAMES, text: 'js_params' }) as Record<string, unknown>

/** The expected result of `readMembers`, from `JSON.parse`; `undefined` if that rejects the text. */
function expected(text: string): Record<string, unknown> | undefined {
  let whole: unknown
  try {
    whole = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return {}
  return Object.fromEntries(
    NAMES.filter((name) => Object.hasOwn(whole, name)).map((name) => [
      name,
      Reflect.get(whole, name),
    ]),
  )
}

function requireSame(text: string): void {
  const wanted = expected(text)
  if (!wanted) {
    expect(() => read(text), text).toThrow(NotJsonError)
    return
  }
  const members = read(text)
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return
  const { js_params: params, ...rest } = members
  const { js_params: wantedParams, ...wantedRest } = wanted
  expect(rest).toEqual(wantedRest)
  if (params instanceof JsonText) expect(JSON.parse(params.text)).toEqual(wantedParams)
  else expect(typeof params).toBe(typeof wantedParams)
}

const space = fc.stringMatching(/^[ \t\n\r]{0,2}$/)
const escaped = (name: string, which: boolean[]) =>
  `"${[...name]
    .map((character, n) => {
      const code = character.charCodeAt(0).toString(16).padStart(4, '0')
      return which[n] ? `\\u${n % 2 ? code.toUpperCase() : code}` : character
    })
    .join('')}"`
const name = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NAMES, 'Code', 'cod', 'codes', 'jz_params'), fc.array(fc.boolean()))
    .map(([plain, which]) => escaped(plain, which)),
  anyText().map((text) => JSON.stringify(text)),
)
const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?$/)
const json = fc.oneof(
  { weight: 3, arbitrary: fc.json() },
  { weight: 1, arbitrary: number },
  { weight: 1, arbitrary: anyText().map((text) => JSON.stringify(text)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"\\u00e9\\ud800\\/\\b"', '{"__proto__":{"a":1}}', '[]'),
  },
)
const member = fc
  .tuple(space, name, space, space, json, space)
  .map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`)
const object = fc
  .tuple(space, fc.array(member, { maxLength: 6 }), space)
  .map(([before, members, after]) => `${before}{${members.join()}}${after}`)

describe('reads the members of a body as JSON.parse does', () => {
  it('in any object: duplicate names, escaped names, whitespace', () => {
    fc.assert(fc.property(object, requireSame), { numRuns: 2_000 })
  })

  it('in any JSON', () => {
    fc.assert(fc.property(json, requireSame), { numRuns: 1_000 })
  })

  it('in an object with characters changed, removed or inserted', () => {
    const character = fc.constantFrom(...'{}[]",:\\/u019aeEtfn-+. \n\t\u0000\u001f\u00e9\ufeff')
    const broken = fc
      .tuple(object, fc.nat(), fc.nat(2), character)
      .map(([text, where, taken, put]) => {
        const at = where % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + taken)
      })
      // Malformed text is rejected earlier, because a body has to be UTF-8.
      .filter((text) => text.isWellFormed())
    fc.assert(fc.property(broken, requireSame), { numRuns: 5_000 })
  })

  it.each(
    [
      ['', ' ', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{"a" 1}', '{a:1}'],
      ['[', '[1,]', '[,]', '[1', '[1}', '{"a":1]', '{}}', '{} {}', '[[]', '{"code":[}]}'],
      ['01', '-', '1.', '.5', '1e', '1e+', '+1', '-01', '1.e3', '0x1', 'NaN', '-Infinity', '1 2'],
      ['tru', 'trueX', 'nul', 'falsee', 'True', '"', '"\\', '"\\u12', '"\\u123g"', '"\\x41"'],
      ['"\n"', '"\t"', '"\u0000"', '\ufeff{}', '{}\ufeff', '\u00a0{}', "{'a':1}", '{"a":1}//'],
      ['0', '-0', '1e400', '-0.0e-0', 'null', 'true', '""', '[]', '{}', ' {} ', '[[],{}]'],
      ['{"code":1,"code":2}', '{"c\\u006fde":"x"}', '{"code":"x","\\u0063ode":"y"}'],
      ['{"js_params":{"a":1,"a":2}}', '{"js_params":null}', '{"":1}', '{"\\u0000":1}'],
      ['{"js_params":{},"js_params":[]}', '{"run":{"id":"x"},"x":[{"run":1}]}'],
    ].flat(),
  )('in %j', (text) => requireSame(text))
})

it('reads a body at the maximum depth, and rejects one more level', () => {
  const nested = (levels: number) =>
    `{"js_params":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
  // The depth is counted from the value of each member of a body.
  expect(read(nested(BODY_DEPTH_MAX - 1))['js_params']).toBeInstanceOf(JsonText)
  expect(() => read(nested(BODY_DEPTH_MAX))).toThrow(NestedTooDeeplyError)
  expect(() => read(`{"other":${'['.repeat(5e6)}`)).toThrow(NestedTooDeeplyError)
})

it('the params of a large body do not keep it in memory', () => {
  const rss = () => (global.gc?.(), process.memoryUsage())
  const before = rss()
  const kept = Array.from({ length: 30 }, (_, n) =>
    read(`{"js_params":{"n":${n}}${' '.repeat(8e6)}}`),
  )
  const grown = rss().heapUsed + rss().external - before.heapUsed - before.external
  expect(kept).toHaveLength(30)
  expect((kept[0]!['js_params'] as JsonText).text).toBe('{"n":0}')
  expect(grown).toBeLessThan(30 * 8e6)
})

describe('bodies that take JSON.parse seconds', () => {
  const measure = fileURLToPath(new URL('measure-members.ts', import.meta.url))

  // In a process of its own, because V8 optimizes the scan for the values that the tests above have passed to it.
  it.each(['names', 'objects'])('millions of %s are skipped in a fraction of its time', (kind) => {
    const args = ['--disable-warning=ExperimentalWarning', measure, kind]
    const output = execFileSync(process.execPath, args, { encoding: 'utf8' })
    const { scanned, parsed } = JSON.parse(output) as { scanned: number; parsed: number }
    expect(scanned).toBeLessThan(parsed / 3)
  })
})
