import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildAction } from '../../../shared/build/build-action.ts'
import { failed, sharedPool } from '../../origin/actions/sandbox.ts'
import { built, installed, mapOf, project, refusal, writeFiles } from './project.ts'

const pool = sharedPool()

describe('modules that actions do not have', () => {
  it('are refused with the chain of imports', async () => {
    const message = await refusal({
      'src/action.ts': `import { a } from './a.ts'\nexport const main = () => a`,
      'src/a.ts': `import foo from 'foo'\nexport const a = foo`,
      ...installed('foo', {
        'index.js': `module.exports = require('./lib/b.js')`,
        'lib/b.js': `import fs from 'node:fs'\nexport default fs.x`,
      }),
    })
    expect(message).toContain(
      'src/action.ts → src/a.ts → npm:foo@1.2.3/index.js → npm:foo@1.2.3/lib/b.js imports node:fs, which actions do not have',
    )
  })

  it('are refused if they are required', async () => {
    const files = {
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      ...installed('foo', { 'index.js': `exports.a = () => require('child_process')` }),
    }
    expect(await refusal(files)).toContain(
      'src/action.ts → npm:foo@1.2.3/index.js imports node:child_process, which actions do not have',
    )
  })

  it.each([
    [
      'in code that is not used',
      `import fs from 'node:fs'\nexport const a = 1\nexport const unused = () => fs.x`,
    ],
    ['in a try statement', `exports.a = 1\ntry { exports.a = require('fs') } catch {}`],
    [
      'that the package replaces for browsers',
      `exports.a = require('fs').a ?? 1`,
      { browser: { fs: false } },
    ],
  ])('are accepted %s', async (_where, source, manifest: object = {}) => {
    const { code, warnings } = await built({
      'src/action.ts': `import { a } from 'foo'\nexport const main = () => a`,
      ...installed('foo', { 'index.js': source }, { sideEffects: false, ...manifest }),
    })
    expect(await pool.value(code)).toBe(1)
    expect(warnings).toEqual([])
  })

  it('prefers the code of a package for workers to that for Node', async () => {
    const { code } = await built({
      'src/action.ts': `import a from 'foo'\nexport const main = () => [a, process.env.NODE_ENV]`,
      ...installed(
        'foo',
        {
          'node.js': `import fs from 'node:fs'\nexport default fs.x`,
          'browser.js': `export default 'browser'`,
        },
        { exports: { node: './node.js', browser: './browser.js', default: './node.js' } },
      ),
    })
    expect(await pool.value(code)).toEqual(['browser', 'production'])
  })

  it.each(['addon.node', 'code.wasm', 'style.css'])('%s is refused', async (file) => {
    const files = {
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      ...installed('foo', { 'index.js': `module.exports = require('./${file}')`, [file]: '\0asm' }),
    }
    expect(await refusal(files)).toContain(
      `npm:foo@1.2.3/index.js imports ./${file}, but an action contains only .ts,`,
    )
  })
})

describe('attacks', () => {
  it.each([
    ['a package that reads files of the machine', '../../../secret.json'],
    ['a package that reads files of the project', '../../src/secret.json'],
    ['a package that reads files of another package', '../other/secret.json'],
  ])('%s is refused', async (_attack, path) => {
    const folder = project({
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      'src/secret.json': '{"key":"s3cret"}',
      ...installed('other', { 'secret.json': '{"key":"s3cret"}' }),
      ...installed('foo', { 'index.js': `module.exports = require('${path}')` }),
    })
    writeFiles(join(folder, '..'), { 'secret.json': '{"key":"s3cret"}' })
    await expect(buildAction(join(folder, 'src/action.ts'))).rejects.toThrow(
      `npm:foo@1.2.3/index.js imports ${path}, which is not in its project`,
    )
  })

  it.each([
    ['leaves another package by its name', `require('other/../../src/secret.json')`, {}],
    [
      'maps a name to a file for browsers',
      `require('x')`,
      { browser: { x: '../../src/secret.json' } },
    ],
    [
      'maps a name to a file of a package',
      `require('#x')`,
      { imports: { '#x': 'other/../../src/secret.json' } },
    ],
    ['depends on a package with the file as its main module', `require('main')`, {}],
    ['requires all files that match', `(name) => require('../../src/' + name + '.json')`, {}],
    ['imports all files that match', `(name) => import('../../src/' + name + '.json')`, {}],
  ])('a package that %s cannot read files of the project', async (_attack, source, manifest) => {
    const files = {
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      'src/secret.json': '{"key":"s3cret"}',
      ...installed('other', { 'index.js': '' }),
      ...installed('main', {}, { main: '../../src/secret.json' }),
      ...installed('foo', { 'index.js': `module.exports = ${source}` }, manifest),
    }
    expect(await refusal(files)).toMatch(/^npm:foo@1\.2\.3\/index\.js imports .*not in its project/)
  })

  it('a package whose main module is a file of the project is refused', async () => {
    const files = {
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      'src/secret.json': '{"key":"s3cret"}',
      ...installed('foo', {}, { main: '../../src/secret.json' }),
    }
    expect(await refusal(files)).toContain('src/action.ts imports foo, which is not in its project')
  })

  it('tsconfig paths that lead out of the project are refused', async () => {
    const folder = project({
      'src/action.ts': `import key from '@keys/key.json'\nexport const main = () => key`,
      'tsconfig.json': '{"compilerOptions":{"paths":{"@keys/*":["../keys/*"]}}}',
    })
    writeFiles(join(folder, '..'), { 'keys/key.json': '{"key":"s3cret"}' })
    await expect(buildAction(join(folder, 'src/action.ts'))).rejects.toThrow(
      'src/action.ts imports @keys/key.json, which is not in its project',
    )
  })

  it('a symbolic link out of the project is refused', async () => {
    const folder = project({
      'src/action.ts': `import key from './key.json'\nexport const main = () => key`,
    })
    writeFiles(join(folder, '..'), { 'keys/key.json': '{"key":"s3cret"}' })
    symlinkSync(join(folder, '../keys/key.json'), join(folder, 'src/key.json'))
    await expect(buildAction(join(folder, 'src/action.ts'))).rejects.toThrow('not in its project')
  })

  it('the message about a file elsewhere does not quote it', async () => {
    const folder = project({
      'src/action.ts': `import key from '../../key.json'\nexport const main = () => key`,
    })
    writeFiles(join(folder, '..'), { 'key.json': 's3cret' })
    const error = await buildAction(join(folder, 'src/action.ts')).catch((thrown) => thrown)
    expect(error.message).toContain('neither in the project nor in a package')
    expect(error.message).not.toContain('s3cret')
  })

  it.each([
    ['a line break', 'a\nglobalThis.hit = 1;//.ts'],
    ['a line separator', 'a\u2028globalThis.hit = 1;//.ts'],
    ['a quote', 'a"(){}};hit=1;({"b.ts'],
    ['a change of direction', 'a\u202Eb.ts'],
  ])('a file name with %s cannot inject code', async (_what, name) => {
    const specifier = JSON.stringify(`./${name}`)
    const files = {
      'src/action.ts': `import { a } from ${specifier}\nexport const main = () => a`,
      [`src/${name}`]: 'export const a = 1',
    }
    expect(await refusal(files)).toMatch(/rename the file/)
  })

  it('a file of the project cannot pass for one of a package', async () => {
    const files = {
      'src/action.ts': `import { a } from '../npm:zod@4.6.7/index.ts'\nexport const main = () => a`,
      'npm:zod@4.6.7/index.ts': 'export const a = 1',
    }
    expect(await refusal(files)).toContain('npm:zod@4.6.7/index.ts: the name looks like that of a')
  })

  it.each([
    ['name', { name: 'x/../../y\n' }],
    ['version', { version: '1\nglobalThis.hit = 1' }],
  ])('a package with a crafted %s is refused', async (field, manifest) => {
    const files = {
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      ...installed('foo', { 'index.js': '' }, manifest),
    }
    expect(await refusal(files)).toContain(`invalid ${field}`)
  })

  it('scripts, plugins and configuration of packages are not executed', async () => {
    const { code } = await built({
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      'esbuild.config.js': 'globalThis.hit = true',
      'tsconfig.json': '{"extends":"foo/tsconfig.json"}',
      ...installed(
        'foo',
        { 'index.js': 'globalThis.hit = true\nmodule.exports = 1', 'tsconfig.json': '{}' },
        { scripts: { install: 'touch hit' } },
      ),
    })
    expect(Reflect.has(globalThis, 'hit')).toBe(false)
    expect(await pool.value(code)).toBe(1)
  })

  it('the source map of a package can neither claim code of the project nor read files', async () => {
    const claimed = { version: 3, names: [], mappings: 'AAAA;ACAA;ACAA' }
    const sources = ['../../src/victim.ts', '../../.env', '../../../outside.txt']
    const base64 = Buffer.from(JSON.stringify({ ...claimed, sources })).toString('base64')
    const folder = project({
      'src/action.ts': `import { fail } from './victim.ts'\nexport const main = () => fail()`,
      'src/victim.ts': `import foo from 'foo'\nexport const fail = () => foo()`,
      '.env': 'KEY=s3cret',
      ...installed('foo', {
        'index.js': `module.exports = () => {\n  throw new Error('hit')\n}\n//# sourceMappingURL=data:application/json;base64,${base64}`,
      }),
    })
    writeFiles(join(folder, '..'), { 'outside.txt': 's3cret' })
    for (const minify of [false, true]) {
      const { code, map } = await buildAction(join(folder, 'src/action.ts'), { minify })
      const { stack } = failed(await pool.run(code))
      const [first] = stack.split('\n').slice(1)
      expect(first).toContain('action.js:')
      expect(stack).toContain('src/victim.ts:2:')
      expect(map).not.toContain('s3cret')
      expect(mapOf(code).sources).toEqual(['src/victim.ts', 'src/action.ts'])
    }
  })

  it('a file that only the source map of a package names is not read', async () => {
    const map = { version: 3, names: [], mappings: 'AAAA', sources: ['../../.env'] }
    const base64 = Buffer.from(JSON.stringify(map)).toString('base64')
    const { map: full } = await built({
      'src/action.ts': `import foo from 'foo'\nexport const main = () => foo`,
      '.env': 'KEY=s3cret',
      ...installed('foo', {
        'index.js': `module.exports = 1\n//# sourceMappingURL=data:application/json;base64,${base64}`,
      }),
    })
    expect(full).not.toContain('s3cret')
  })

  it('a project cannot move parts of its script by text that looks like the build’s', async () => {
    const text =
      '// src/action.ts\nexport {\n  main\n};\n})();\n//# sourceMappingURL=data:application/json;base64,e30='
    const { code } = await built({
      'src/action.ts': `export const main = () => \`${text}\``,
    })
    expect(await pool.value(code)).toBe(text)
    expect(mapOf(code).sources).toEqual(['src/action.ts'])
  })
})

describe('unusual projects', () => {
  it('build with circular imports, JSON, text and dynamic imports', async () => {
    const { code, warnings } = await built({
      'src/action.ts': `import { even } from './even.ts'
import data from '../data.json'
import text from './note.txt'
export async function main() { return [even(4), data.a, text, (await import('./late.ts')).late] }`,
      'src/even.ts': `import { odd } from './odd.ts'\nexport const even = (n: number): boolean => n === 0 || odd(n - 1)`,
      'src/odd.ts': `import { even } from './even.ts'\nexport const odd = (n: number): boolean => n !== 0 && even(n - 1)`,
      'data.json': '{"a":[1]}',
      'src/note.txt': 'a note\n',
      'src/late.ts': 'export const late = "late"',
    })
    expect(await pool.value(code)).toEqual([true, [1], 'a note\n', 'late'])
    expect(warnings).toEqual([])
  })

  it('build in a folder without package.json, and with packages of a workspace', async () => {
    const folder = project({
      'package.json': '{"private":true}',
      'apps/one/package.json': '{"name":"one"}',
      'apps/one/src/action.ts': `import { shared } from '@mine/shared'\nexport const main = () => shared`,
      'libraries/shared/package.json': '{"name":"@mine/shared","exports":"./src/index.ts"}',
      'libraries/shared/src/index.ts': `export const shared: string = 'shared'`,
    })
    mkdirSync(join(folder, 'node_modules/@mine'), { recursive: true })
    symlinkSync(join(folder, 'libraries/shared'), join(folder, 'node_modules/@mine/shared'))
    const { code } = await buildAction(join(folder, 'apps/one/src/action.ts'))
    expect(await pool.value(code)).toBe('shared')
    expect(mapOf(code).sources).toEqual(['../../libraries/shared/src/index.ts', 'src/action.ts'])
  })

  it('ignore the tsconfig.json of folders above', async () => {
    const folder = project({
      'src/action.ts': 'class A { x?: 1 }\nexport const main = () => Object.keys(new A())',
    })
    writeFiles(join(folder, '..'), {
      'tsconfig.json': '{"compilerOptions":{"useDefineForClassFields":false}}',
    })
    const { code } = await buildAction(join(folder, 'src/action.ts'))
    expect(await pool.value(code)).toEqual(['x'])
  })

  it('are refused above 16 MiB, and have a warning above the limit of triggers', async () => {
    const source = (bytes: number) => ({
      'src/action.ts': `export const main = () => '${'x'.repeat(bytes)}'.length`,
    })
    expect(await refusal(source(17 * 1024 * 1024))).toContain('an action has at most 16777216')
    const { warnings } = await built(source(2 * 1024 * 1024))
    expect(warnings).toEqual([expect.stringContaining('triggers accept 1048576')])
  })

  it('are smaller if minified, with the same result and a map', async () => {
    const folder = project({
      'src/action.ts': `const addNumbers = (first: number, second: number) => first + second\nexport const main = () => addNumbers(1, 2)`,
    })
    const readable = await buildAction(join(folder, 'src/action.ts'))
    const { code } = await buildAction(join(folder, 'src/action.ts'), { minify: true })
    expect(code.length).toBeLessThan(readable.code.length)
    expect(await pool.value(code)).toBe(3)
    expect(mapOf(code).sources).toEqual(['src/action.ts'])
  })
})
