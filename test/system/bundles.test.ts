import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUILD_FILES } from '../../origin/actions/bundles.ts'
import type { WorkerBundle } from '../../origin/stack/bundle-worker.ts'
import { BUNDLE_BUILD_FILES, nodeBundles, workerBundle } from '../../origin/stack/bundles.ts'
import { bundleNode } from '../../shared/packaging/bundle-node.ts'
import { listedFiles } from '../../shared/packaging/checksums.ts'
import { buildInputs } from '../tree/build-inputs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string
let bundles: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-bundles-'))
  bundles = join(folder, 'bundles')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Backdates the file, because a file that changes during a build is built again. */
function write(path: string, content: string): string {
  const absolute = join(folder, path)
  mkdirSync(dirname(absolute), { recursive: true })
  writeFileSync(absolute, content)
  utimesSync(absolute, 1, 1)
  return absolute
}

async function run(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  return stdout.trim()
}

const inputsOf = (bundle: string) =>
  listedFiles(`${bundle}.sha256`).map((path) => resolve(root, path))

describe('bundles for Node', () => {
  const bundle = async (entry: string) => (await nodeBundles([entry], bundles))[0]!

  it('find files relative to their sources, also after the folder was moved', async () => {
    write('deep/text.txt', 'from the source folder')
    write(
      'deep/module.ts',
      `import { readFileSync } from 'node:fs'
       export const text: string = readFileSync(new URL('text.txt', import.meta.url), 'utf8')`,
    )
    const entry = write('main.ts', "import { text } from './deep/module.ts'\nconsole.log(text)")
    const path = await bundle(entry)
    expect(await run(path)).toBe('from the source folder')
    const moved = `${folder}-moved`
    renameSync(folder, moved)
    folder = moved
    expect(await run(join(moved, relative(dirname(bundles), path)))).toBe('from the source folder')
  })

  it('keep the names of classes, and do not run modules that are programs of their own', async () => {
    write('a.ts', "class Fault extends Error {}\nexport const a = new Fault('a')")
    write(
      'b.ts',
      'if (import.meta.main) throw new Error()\nclass Fault {}\nexport const b = new Fault()',
    )
    const entry = write(
      'main.ts',
      `import { a } from './a.ts'
       import { b } from './b.ts'
       console.log(a.constructor.name, b.constructor.name)`,
    )
    expect(await run(await bundle(entry))).toBe('Fault Fault')
  })

  it('run in strict mode and find files relative to their sources as CommonJS modules too', async () => {
    write('deep/text.txt', 'from the source folder')
    write(
      'deep/main.ts',
      `import { readFileSync } from 'node:fs'
       const strict: boolean = (function (this: unknown) { return this === undefined })()
       console.log(strict, typeof module, readFileSync(new URL('text.txt', import.meta.url), 'utf8'))`,
    )
    const path = join(folder, 'main.cjs')
    write('main.cjs', (await bundleNode(folder, 'deep/main.ts', path)).text)
    expect(await run(path)).toBe('true object from the source folder')
  })

  it('can build CommonJS bundles, as the first start of a new checkout does', async () => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    write('word.ts', "console.log('built', import.meta.url)")
    const target = JSON.stringify(join(folder, 'word.cjs'))
    const entry = write(
      'main.ts',
      `import { bundleNode } from ${JSON.stringify(join(root, 'shared/packaging/bundle-node.ts'))}
       const { text } = await bundleNode(${JSON.stringify(folder)}, 'word.ts', ${target})
       console.log(text.includes('built'))`,
    )
    expect(await run(await bundle(entry))).toBe('true')
  })

  it('load modules on demand, and packages of both kinds', async () => {
    write('later.ts', "export const later = 'later'\nconsole.log('loaded')")
    const entry = write(
      'main.ts',
      `import pg from ${JSON.stringify(join(root, 'node_modules/pg/lib/index.js'))}
       import { z } from ${JSON.stringify(join(root, 'node_modules/zod/index.js'))}
       console.log(typeof pg.Client, z.string().parse('first'))
       console.log((await import('./later.ts')).later)`,
    )
    expect(await run(await bundle(entry))).toBe('function first\nloaded\nlater')
  })

  it('are built again only if a source has changed', async () => {
    write('word.ts', "export const word = 'first'")
    const entry = write('main.ts', "import { word } from './word.ts'\nconsole.log(word)")
    const path = await bundle(entry)
    expect(await run(path)).toBe('first')
    const { ino } = statSync(path)
    expect(statSync(await bundle(entry)).ino).toBe(ino)
    write('word.ts', "export const word = 'second'")
    expect(await run(await bundle(entry))).toBe('second')
  })

  it("report esbuild's error, and keep the previous bundle", async () => {
    const entry = write('main.ts', "console.log('works')")
    const path = await bundle(entry)
    write('other.ts', 'export const other = 1')
    write('main.ts', "import { missing } from './other.ts'\nconsole.log(missing)")
    await expect(bundle(entry)).rejects.toThrow(
      /main\.ts could not be bundled: .*\n.*main\.ts:1:9: ERROR: No matching export/,
    )
    expect(await run(path)).toBe('works')
  })

  it('are complete if several processes build them at once', async () => {
    const words = Array.from({ length: 10_000 }, (_, i) => `word ${i}`)
    const entry = write('main.ts', `console.log(${JSON.stringify(words)}.at(-1))`)
    const [module, ...args] = [join(root, 'origin/stack/bundles.ts'), entry, bundles].map((text) =>
      JSON.stringify(text),
    )
    const program = `
      import { rmSync } from 'node:fs'
      import { nodeBundles } from ${module}
      for (let i = 0; i < 5; i++) {
        const [path] = await nodeBundles([${args[0]}], ${args[1]})
        await import(path + '?' + i)
        rmSync(path + '.sha256', { force: true })
      }`
    const build5 = () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    const outputs = await Promise.all(Array.from({ length: 3 }, build5))
    for (const { stdout } of outputs) expect(stdout).toBe('word 9999\n'.repeat(5))
    expect(readdirSync(bundles).filter((file) => !/\.ts\.js(\.sha256)?$/.test(file))).toEqual([])
  })
})

describe('the bundled Worker', () => {
  const config = (settings = '') =>
    write(
      'wrangler.toml',
      `name = "small"\nmain = "worker.ts"\ncompatibility_date = "2026-11-01"\n${settings}`,
    )

  it('is built again if a text that it imports has changed', async () => {
    write('greeting.txt', 'good morning')
    write(
      'worker.ts',
      "import text from './greeting.txt'\nexport default { fetch: () => new Response(text) }",
    )
    const path = await workerBundle(config(), bundles)
    const scriptOf = () => (JSON.parse(readFileSync(path, 'utf8')) as WorkerBundle).script
    expect(scriptOf()).toContain('good morning')
    const { ino } = statSync(path)
    await workerBundle(config(), bundles)
    expect(statSync(path).ino).toBe(ino)
    write('greeting.txt', 'good evening')
    await workerBundle(config(), bundles)
    expect(scriptOf()).toContain('good evening')
  })

  it('contains no secrets of .dev.vars', async () => {
    write('.dev.vars', 'TOKEN=not-for-the-bundle')
    write('worker.ts', 'export default { fetch: () => new Response() }')
    const path = await workerBundle(config('[vars]\nPUBLIC = "for-the-bundle"\n'), bundles)
    const text = readFileSync(path, 'utf8')
    expect(text).toContain('for-the-bundle')
    expect(text).not.toContain('not-for-the-bundle')
  })

  it('reports the errors of the build command', async () => {
    const error = write('error.txt', 'script.ts:1:9: ERROR: No matching export')
    write('worker.ts', 'export default {}')
    const command = `cat ${error} >&2; exit 1`
    await expect(
      workerBundle(config(`[build]\ncommand = "${command}"\n`), bundles),
    ).rejects.toThrow('ERROR: No matching export')
  })

  it('lists everything it is built from: its texts, the sources of page scripts, and migrations', async () => {
    const inputs = inputsOf(await workerBundle()).map((path) => relative(root, path))
    const served = /load: \(\) => import\('\.\.\/\.\.\/(.+?\.md)'\)/g
    const documents = readFileSync(join(root, 'edge/docs/sources.ts'), 'utf8').matchAll(served)
    const expected = [
      'wrangler.toml',
      'edge/worker.ts',
      ...[...documents].map(([, path]) => path!),
      'edge/skill/SKILL.md',
      'edge/skill/llms.txt',
      ...['edge', 'trigger-queue', 'chain-watcher'].map(
        (name) => `drizzle/${name}/0000_initial.sql`,
      ),
      'edge/browser/console/module.tsx',
      'edge/browser/build.ts',
      // Changes whenever a migration is added.
      'drizzle/edge/meta/_journal.json',
      ...BUNDLE_BUILD_FILES,
    ]
    expect(expected.filter((path) => !inputs.includes(path))).toEqual([])
  })
})

it('all bundles are built again if the build itself changes', async () => {
  expect(BUNDLE_BUILD_FILES.toSorted()).toEqual(await buildInputs(root, 'origin/stack/bundles.ts'))
  expect(BUILD_FILES.toSorted()).toEqual(await buildInputs(root, 'origin/actions/bundles.ts'))
})
