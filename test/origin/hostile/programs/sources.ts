import { SOURCE_MAX_BYTES } from '../../../../shared/limits.ts'
import { program } from '../program.ts'

const MAIN = 'function main() { return 1 }\n'
const ok = { returns: 1 } as const
const full = { fails: 'out_of_memory' } as const
const syntax = { fails: 'action_threw' } as const
const late = { fails: 'action_timeout' } as const

/** Repeats a text up to the maximum source size. */
const largest = (piece: string, start = MAIN, end = '') => {
  const room = SOURCE_MAX_BYTES - start.length - end.length
  return start + piece.repeat(Math.floor(room / piece.length)) + end
}
const room = { wallMs: 15_000 }

/** Sources of the maximum size, and worst cases for the parser. */
export const sources = [
  program('16 MiB of comment', () => largest('c', `${MAIN}/*`, '*/'), ok, room),
  program('16 MiB of line comments', () => largest('// c\n'), ok, room),
  program('16 MiB of spaces', () => largest(' '), ok, room),
  program('16 MiB of line ends', () => largest('\n'), ok, room),
  program('16 MiB of semicolons', () => largest(';'), [ok, full, late], room),
  program('16 MiB of one text', () => largest('x', `${MAIN}const s = '`, "'"), [ok, full], room),
  program(
    '16 MiB of escapes',
    () => largest('\\u0041', `${MAIN}const s = '`, "'"),
    [ok, full],
    room,
  ),
  program(
    '16 MiB of one template',
    () => largest('x', `${MAIN}const s = \``, '`'),
    [ok, full],
    room,
  ),
  program('16 MiB of one name', () => largest('a', `${MAIN}var `, ''), [ok, full, syntax], room),
  program(
    '16 MiB of one number',
    () => largest('1', `${MAIN}var n = `, ''),
    [ok, full, syntax, late],
    { wallMs: 500, native: true },
  ),
  program(
    '16 MiB of one BigInt',
    () => largest('1', `${MAIN}var n = `, 'n'),
    [ok, full, syntax, late],
    { wallMs: 500, native: true },
  ),
  program(
    '16 MiB of one pattern',
    () => largest('a', `${MAIN}var r = /`, '/'),
    [ok, full, syntax, late],
    { ...room, native: true },
  ),
  program('16 MiB of sums', () => largest('1+', `${MAIN}var n = `, '1'), [full, syntax, late], {
    ...room,
    native: true,
  }),
  program('a million functions', () => MAIN + 'function f(){}\n'.repeat(1e6), full, room),
  program(
    'half a million functions with names of their own',
    () => MAIN + Array.from({ length: 5e5 }, (_, i) => `function f${i}(){}\n`).join(''),
    [ok, full],
    room,
  ),
  program(
    'a million variables',
    () => MAIN + Array.from({ length: 1e6 }, (_, i) => `var v${i};`).join(''),
    [ok, full, late],
    { wallMs: 500, native: true },
  ),
  program(
    'a million let',
    () => MAIN + Array.from({ length: 1e6 }, (_, i) => `let v${i};`).join(''),
    [ok, full, late],
    { wallMs: 500, native: true },
  ),
  program(
    '100,000 locals of one function',
    () =>
      `function main() { ${Array.from({ length: 1e5 }, (_, i) => `let v${i} = ${i};`).join('')} return 1 }`,
    [ok, syntax, late],
    { wallMs: 500, native: true },
  ),
  program(
    '100,000 parameters',
    () => `function main(${Array.from({ length: 1e5 }, (_, i) => `p${i}`).join()}) { return 1 }`,
    [ok, syntax, late],
    { wallMs: 500, native: true },
  ),
  program(
    '100,000 arguments',
    () => `const f = () => 1; const main = () => f(${'1,'.repeat(1e5)}1)`,
    [ok, syntax, late],
    { wallMs: 500, native: true },
  ),
  program(
    '100,000 labels',
    () =>
      `function main() { ${Array.from({ length: 1e5 }, (_, i) => `l${i}:`).join('')} return 1 }`,
    [ok, syntax, late, full],
    { wallMs: 500, native: true },
  ),
  program(
    'a switch of 100,000 cases',
    () =>
      `function main() { switch (7) { ${Array.from({ length: 1e5 }, (_, i) => `case ${i}: ;`).join('')} } return 1 }`,
    [ok, syntax, late],
    { wallMs: 500, native: true },
  ),
  program(
    'a class of 100,000 private names',
    () => `${MAIN}class A { ${Array.from({ length: 1e5 }, (_, i) => `#p${i};`).join('')} }`,
    [ok, syntax, late],
    { wallMs: 500, native: true },
  ),
  program(
    'an object of a million keys',
    () => `${MAIN}const o = {${Array.from({ length: 1e6 }, (_, i) => `k${i}:1`).join()}}`,
    [ok, full, late],
    { wallMs: 500, native: true },
  ),
  program(
    'an array of five million',
    () => `${MAIN}const o = [${'1,'.repeat(5e6)}]`,
    [ok, full, late],
    { wallMs: 500, native: true },
  ),
  program(
    '8 million brackets',
    () => largest('[', MAIN),
    { fails: 'action_threw', says: /stack overflow/ },
    room,
  ),
  program('8 million closing brackets', () => largest('}', ''), syntax, room),
  program('NULs', () => '\0'.repeat(1000), syntax),
  program('a NUL after main', () => `${MAIN}\0 for (;;);`, syntax),
  program('half pairs', () => `${MAIN}\ud800`, syntax),
  program('a byte order mark', () => `\ufeff${MAIN}`, ok),
  program('a hashbang', () => `#!/usr/bin/env node\n${MAIN}`, ok),
  program('an HTML comment', () => `<!-- x\n${MAIN}--> y`, ok),
  program('nothing', '', { fails: 'no_main' }),
  program('a module', 'export function main() {}', syntax),
  program('an import', 'import fs from "node:fs"; function main() {}', syntax),
  program('await before main', 'await 1; function main() {}', syntax),
  program('text that closes the function around it', '}); function main() { return 1 } ({', syntax),
  program(
    'a directive that names a source map',
    `${MAIN}//# sourceMappingURL=http://127.0.0.1/\n//# sourceURL=svc:drive.js`,
    ok,
  ),
]
