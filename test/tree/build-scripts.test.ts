import { execFile } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUILD_FILES, buildScripts, bundlePath } from '../../edge/browser/build.ts'
import { buildInputs } from './build-inputs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Only detects hangs. */
const TIMEOUT = 60_000
let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-scripts-'))
  write('greeting.ts', "export const greeting = 'hello'")
  write('hello/script.ts', "import { greeting } from '../greeting.ts'\nconsole.log(greeting)")
  write('other/module.ts', "export const other = 'other'")
  await buildScripts(folder)
}, TIMEOUT)

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Backdates the file, because a file that changes during a build is built again. */
function write(path: string, content: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), content)
  utimesSync(join(folder, path), 1, 1)
}

const bundle = (script = 'hello') => readFileSync(bundlePath(script, folder), 'utf8')

/** In another process. Removes the checksums before each build. */
function buildTwentyTimes(): Promise<unknown> {
  const [builder, target] = [join(root, 'edge/browser/build.ts'), folder].map((path) =>
    JSON.stringify(path),
  )
  const code = `
    import { rmSync } from 'node:fs'
    import { buildScripts, bundlePath } from ${builder}
    for (let i = 0; i < 20; i++) {
      rmSync(bundlePath('hello', ${target}) + '.sha256', { force: true })
      await buildScripts(${target})
    }`
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
}

describe('building the page scripts', { timeout: TIMEOUT }, () => {
  it('builds every folder that has an entry', () => {
    expect(bundle()).toMatch(/^\(\(\)=>\{.*"hello".*\}\)\(\);\n$/)
    expect(bundle('other')).toMatch(/export\{\w+ as other\}/)
  })

  it('builds nothing if nothing has changed', async () => {
    expect(await buildScripts(folder)).toEqual([])
  })

  it('builds only the script whose source has changed', async () => {
    write('greeting.ts', "export const greeting = 'good evening'")
    expect(await buildScripts(folder)).toEqual(['hello'])
    expect(bundle()).toContain('good evening')
    expect(await buildScripts(folder)).toEqual([])
  })

  it('compares contents, not times', async () => {
    utimesSync(join(folder, 'greeting.ts'), 2, 2)
    expect(await buildScripts(folder)).toEqual([])
  })

  it.each([
    ['was edited', () => appendFileSync(bundlePath('hello', folder), '//')],
    ['is missing', () => rmSync(bundlePath('hello', folder))],
    ['has no checksums', () => rmSync(`${bundlePath('hello', folder)}.sha256`)],
    ['has empty checksums', () => writeFileSync(`${bundlePath('hello', folder)}.sha256`, '')],
  ])('builds a script again if its bundle %s', async (_, change) => {
    const before = bundle()
    change()
    expect(await buildScripts(folder)).toEqual(['hello'])
    expect(bundle()).toBe(before)
  })

  it('builds all scripts if the build itself or the lockfile has changed', async () => {
    const lockfile = join(folder, 'lock.json')
    write('lock.json', '1')
    for (const script of ['hello', 'other']) rmSync(bundlePath(script, folder))
    await buildScripts(folder, [lockfile])
    expect(await buildScripts(folder, [lockfile])).toEqual([])
    write('lock.json', '2')
    expect(await buildScripts(folder, [lockfile])).toEqual(['hello', 'other'])
  })

  it('builds a script again if a source changed during the build', async () => {
    write('greeting.ts', "export const greeting = 'good morning'")
    const duringBuild = Date.now() / 1000 + 60
    utimesSync(join(folder, 'greeting.ts'), duringBuild, duringBuild)
    expect(await buildScripts(folder)).toEqual(['hello'])
    expect(await buildScripts(folder)).toEqual(['hello'])
  })

  it("reports esbuild's error, and keeps all bundles", async () => {
    const before = bundle('other')
    write('greeting.ts', "export const welcome = 'hello'")
    write('other/module.ts', "export const other = 'changed'")
    await expect(buildScripts(folder)).rejects.toThrow(
      /hello\/script\.ts:1:9: ERROR: No matching export in .*greeting\.ts/,
    )
    expect(bundle()).toContain('hello')
    expect(bundle('other')).toBe(before)
  })

  it('replaces a bundle without changing it for a process that is reading it', async () => {
    const before = bundle()
    const open = openSync(bundlePath('hello', folder), 'r')
    write('greeting.ts', "export const greeting = 'good evening'")
    await buildScripts(folder)
    expect(readFileSync(open, 'utf8')).toBe(before)
    closeSync(open)
  })

  it('leaves whole files if several processes build at once', async () => {
    const words = Array.from({ length: 10_000 }, (_, i) => `word ${i}`)
    write('greeting.ts', `export const greeting = ${JSON.stringify(words)}`)
    await Promise.all(Array.from({ length: 3 }, () => buildTwentyTimes()))
    expect(bundle()).toMatch(/^\(\(\)=>\{.*"word 9999".*\}\)\(\);\n$/)
    const files = ['script.ts', 'script.txt', 'script.txt.sha256']
    expect(readdirSync(join(folder, 'hello')).toSorted()).toEqual(files)
    expect(await buildScripts(folder)).toEqual([])
  })

  it('lists all files of the build as inputs of every bundle', async () => {
    expect(BUILD_FILES.toSorted()).toEqual(await buildInputs(root, 'edge/browser/build.ts'))
  })
})
