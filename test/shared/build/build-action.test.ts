import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decode } from '@jridgewell/sourcemap-codec'
import { sharedPool } from '../../origin/actions/sandbox.ts'
import { built, installed, mapOf, refusal } from './project.ts'

const pool = sharedPool()

describe('a built action', () => {
  it.each([
    ['main', 'export async function main({ a }: { a: number }) { return a + 1 }'],
    ['a constant main', 'export const main = ({ a }: { a: number }) => a + 1'],
    ['a default export', 'export default async ({ a }: { a: number }) => a + 1'],
    ['main under another name', 'const run = ({ a }) => a + 1\nexport { run as main }'],
    ['further names', 'export default ({ a }: { a: number }) => a + other\nexport const other = 1'],
  ])('runs if its entry exports %s', async (_what, source) => {
    const { code, warnings } = await built({ 'src/action.ts': source })
    expect(await pool.value(code, { a: 2 })).toBe(3)
    expect(warnings).toEqual([])
  })

  it('contains the modules and packages that it imports, each after its name', async () => {
    const { code } = await built({
      'src/action.ts': `import { add } from './lib/add.ts'\nimport one from 'one'\nexport const main = () => add(one)`,
      'src/lib/add.ts': 'export const add = (n: number): number => n + 1',
      ...installed('one', { 'index.js': 'export default 41' }),
    })
    expect(code.replace(/#.*\n$/, '#')).toBe(`"use strict";
const main = (() => {

// src/lib/add.ts
var add = (n) => n + 1;

// npm:one@1.2.3/index.js
var one_default = 41;

// src/action.ts
var main = () => add(one_default);
return main;
})();
//#`)
    expect(await pool.value(code)).toBe(42)
  })

  it('can be the example of the documentation', async () => {
    const page = readFileSync(new URL('../../../docs/typescript.md', import.meta.url), 'utf8')
    const [, source] = /```ts\n(.*?)```/s.exec(page)!
    const { code } = await built({
      'src/action.ts': source!,
      'src/add.ts': 'export const add = (a: number, b: number) => a + b',
    })
    expect(await pool.value(code, { a: 1, b: 2 })).toBe(3)
  })

  it('is strict', async () => {
    const { code } = await built({
      'src/action.ts': 'export function main() { return typeof this }',
    })
    expect(await pool.value(code)).toBe('undefined')
  })

  it('may declare names that the sandbox reserves', async () => {
    const source =
      'const Svc = 1, ethers = 2, fetch = 3\nexport const main = () => Svc + ethers + fetch'
    const { code } = await built({ 'src/action.ts': source })
    expect(await pool.value(code)).toBe(6)
  })

  it.each([
    [
      'neither main nor a default export',
      'export const other = 1',
      'src/action.ts exports no `main`',
    ],
    ['both', 'export const main = () => 1\nexport default main', 'src/action.ts exports both'],
    ['a script', 'async function main() {}', 'src/action.ts exports no `main`'],
    [
      'top-level await',
      'export const main = () => a\nconst a = await 1',
      'src/action.ts:2:11: top-level await is not',
    ],
    ['an invalid source', 'export const main = (', 'src/action.ts:1:22: Unexpected end of file'],
    [
      'an unknown package',
      'import "unknown"\nexport const main = 1',
      'src/action.ts:1:8: cannot find "unknown"; install',
    ],
  ])('is refused with %s', async (_what, source, message) => {
    expect(await refusal({ 'src/action.ts': source })).toContain(message)
  })
})

describe('the map at the end of the script', () => {
  it('has no map if that would be too large to read, and says so', async () => {
    const lines = Array.from({ length: 60_000 }, (_, n) => `total.push(${n}, total.length)`)
    const { code, map, warnings } = await built({
      'src/action.ts': `const total: number[] = []\n${lines.join('\n')}\nexport const main = () => total`,
    })
    expect(code).not.toContain('sourceMappingURL')
    expect(JSON.parse(map)).toMatchObject({ sources: ['src/action.ts'] })
    expect(warnings[0]).toContain('too large for a source map')
  })

  it('maps the code of the project, and no other', async () => {
    const { code, map } = await built({
      'src/action.ts': `import one from 'one'\n\nexport const main = () => {\n  throw new Error(one)\n}`,
      ...installed('one', { 'index.js': 'module.exports = "no"' }),
    })
    const { sources, names, mappings } = mapOf(code)
    expect({ sources, names }).toEqual({ sources: ['src/action.ts'], names: [] })
    const line = code.split('\n').findIndex((text) => text.includes('throw new Error'))
    const [, source, sourceLine, column] = decode(mappings)[line]![0]!
    expect([source, sourceLine, column]).toEqual([0, 3, 2])
    const ofPackage = code.split('\n').findIndex((text) => text.includes('module.exports ='))
    expect(decode(mappings)[ofPackage]).toEqual([])
    expect(JSON.parse(map).sources).toEqual(['npm:one@1.2.3/index.js', 'src/action.ts'])
  })
})
