/**
 * Compares our parser with a full YAML parser, because a text that the container engine reads differently would evade
 * the checks.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { CheckFailedError } from '../../../shared/attestation/check-failed.ts'
import type { YamlNode } from '../../../shared/attestation/strict-yaml/value.ts'
import { parseStrictYaml } from '../../../shared/attestation/strict-yaml/parse.ts'

const BLOCK = '<text block>'
type Tree = string | Tree[] | { [key: string]: Tree }

/** Converts scalars to strings, and empty nodes to the empty string. */
function treeOf(node: YamlNode): Tree {
  if (node.kind === 'word') return node.text
  if (node.kind === 'text block') return BLOCK
  if (node.kind === 'list') return node.items.map(treeOf)
  if (node.kind === 'empty') return ''
  const merged = node.merged.length > 0 ? { '<<': node.merged.map(treeOf) } : {}
  return { ...Object.fromEntries(node.entries.map((e) => [e.key, treeOf(e.value)])), ...merged }
}

function ours(text: string): Tree | undefined {
  try {
    return treeOf(parseStrictYaml(text))
  } catch (error) {
    if (error instanceof CheckFailedError) return undefined
    throw error
  }
}

function theirs(text: string, version: '1.1' | '1.2'): Tree {
  const options = { schema: 'failsafe', merge: false, uniqueKeys: true, strict: true } as const
  const document = parseDocument(text, { ...options, version })
  expect(document.errors).toEqual([])
  const plain = (node: unknown): Tree => {
    if (isAlias(node)) return plain(node.resolve(document))
    if (isScalar(node)) return node.type?.startsWith('BLOCK') ? BLOCK : String(node.value)
    if (isSeq(node)) return node.items.map(plain)
    if (!isMap(node)) return ''
    const entries = node.items.map(
      ({ key, value }) => [plain(key) as string, plain(value)] as const,
    )
    return Object.fromEntries(
      entries.flatMap(([key, value]) => {
        if (key !== '<<') return [[key, value]]
        const merged = Array.isArray(value) ? value : [value]
        return merged.length > 0 ? [[key, merged]] : []
      }),
    )
  }
  return plain(document.contents)
}

// Mostly typical content of compose files, and some edge cases for parsers.
const oneOf = (lines: string) => fc.constantFrom(...lines.split('\n'))
const mostly = (usual: string, unusual: string) =>
  fc.oneof({ weight: 9, arbitrary: oneOf(usual) }, { weight: 1, arbitrary: oneOf(unusual) })
const key = mostly(
  'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nimage\ntype\n"q"\n<<',
  `'s'\nc.d/e\na \n? a\n&k a\n*r \n-k\n"\\x61"\nk #\nit's\n!!str a\n~\n"a b"\n80:80`,
)
const value = mostly(
  `\n\n v\n "d"\n 's'\n |\n >-\n &r\n *r\n &t v\n [a, "b"]\n # c`,
  String.raw` |2
 []
 { }
 v#c
 v # c
 "x\n\"y"
 "\x61"
 a: b
 - a
 --a
 -
 "a" b
 "a"#c
 'a'  # c
 [a,,b]
 [a, *t]
 [a: b]
 ["a":b]
 [a:b, -c]
 [a?b]
 [a #b]
 {a: b}
 !!str a
 ?a
 :a
 ]
 "open
 é 😀
 it's
 a "b # c"
 >x
 *r x
 &r *t
 &r [a]
 a:
 http://x/y#z
 ~
 "a: b"
 '# x'`.replaceAll('\n', ' \n'),
)
/** Lines below a line: the text of a block, or lines that resemble it. */
const below = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\n\n      text',
      '\n    text\n  # c',
      '\n      \n    t',
      '\n  \t',
      '\n      text\n  \t',
      '\nplain',
      '\n---',
    ),
  },
)
const line = fc
  .record({
    column: fc.constantFrom(0, 0, 0, 2, 2, 4, 3),
    dash: fc.constantFrom('', '', '', '', '', '', '- ', '- ', '-  ', '-'),
    key: fc.option(key, { freq: 9 }),
    value,
    below,
  })
  .map(({ column, dash, key: name, value: text, below: lines }) => {
    const item = name === null ? text.trimStart() : `${name}:${text}`
    return ' '.repeat(column) + dash + item + lines
  })
const document = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 7 }), fc.constantFrom('\n', '\n', '\r\n'))
  .map(([lines, end]) => lines.join(end))

describe('an accepted text', () => {
  it('has the same tree as in a YAML 1.1 and 1.2 parser', () => {
    let accepted = 0
    fc.assert(
      fc.property(document, (text) => {
        const tree = ours(text)
        if (tree === undefined) return
        accepted++
        expect(tree).toEqual(theirs(text, '1.1'))
        expect(tree).toEqual(theirs(text, '1.2'))
      }),
      { numRuns: 20_000 },
    )
    expect(accepted).toBeGreaterThan(200)
  })
})

describe('a rejected text', () => {
  it.each([
    [
      'a:\n  b',
      'line 2 of docker_compose_file is neither "key: value" nor "- item": write a value',
    ],
    ['a: b\n  c', 'line 2 of docker_compose_file is not indented like the lines above it'],
    ['a: &r\nb: *r\n- c', 'line 3 of docker_compose_file is not "key: value" with a plain key'],
    [
      'a: &r |\n  t\nb: *r\n  image: c',
      'line 4 of docker_compose_file is not indented like the lines above it',
    ],
    ['a: @b', 'line 1 of docker_compose_file has a value that begins with @: quote it'],
    [
      'a: b: c',
      'line 1 of docker_compose_file has a value with a colon and a space in it: quote it',
    ],
    ['a:\n\t- b', 'line 2 of docker_compose_file has a tab: use spaces'],
    ['a: [b,\n  c]', 'write each item on its own line, after "- "'],
    ['a: 1\na: 2', 'line 2 of docker_compose_file repeats the key "a": write it once'],
    [
      'a: &r 1\nb: &r 2\nc: *r',
      'line 2 of docker_compose_file repeats the anchor &r: use another name',
    ],
    ['# c', 'docker_compose_file is empty'],
  ])('is reported with its line and what to write instead: %j', (text, reason) => {
    expect(() => parseStrictYaml(text)).toThrow(reason)
  })
})
