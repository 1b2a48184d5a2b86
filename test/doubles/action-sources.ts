/** Sources of actions for the tests of the sandbox and of the compile check, which must agree. */

/** Names and sources without syntax errors. */
export const VALID_SOURCES: [name: string, source: string][] = [
  ['an async function', 'async function main(params) { return params }'],
  ['a constant', 'const main = async () => 1'],
  ['no function main, which only a run finds', '1 + 1'],
  ['an empty source', ''],
  [
    'class fields, private methods and static blocks',
    'class A { #a = 1; static { this.b = 1 } #m() {} }',
  ],
  [
    'a lookbehind, named groups and the flags v, y, s',
    String.raw`/(?<=a)(?<year>\d)/su; /[\p{L}--[a-z]]/v; /a/y`,
  ],
  ['a numeric separator, a BigInt, ?? and ??=', 'let a = 1_000n; a ??= 2n; a?.b ?? 1'],
  ['an async generator', 'async function* main() { for await (const a of []) yield* a }'],
  ['a hashbang', '#!/usr/bin/env node\nasync function main() {}'],
  ['an HTML-like comment', '<!-- a\nasync function main() {}'],
  ['a label and sloppy-mode code', 'a: for (;;) break a; with ({}) {} var o = 017'],
  ['emoji and lone surrogates', 'const a = "😀\ud800"; const ä = 1'],
  ['a NUL in a string', 'const a = "\0"'],
  ['a dynamic import, which fails when it runs', 'async function main() { await import("a") }'],
]

/** Sources with the position of their first syntax error. */
export const INVALID_SOURCES: [source: string, line: number, column: number][] = [
  ['async function main( {', 1, 23],
  ['async function main() {\n  return 1 +\n}\n', 3, 1],
  ['const a = 1\nconst a = 2', 2, 9],
  ['\n\nlet 😀 = 1', 3, 5],
  ['"😀😀"; let a b', 1, 13],
  ['/(/', 1, 1],
  ['import a from "a"', 1, 8],
  ['export default 1', 1, 1],
  ['await 1', 1, 7],
  ['return 1', 1, 1],
  ['{"a": 1}', 1, 5],
  ['const a = "b\n"', 1, 11],
]
