import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildClient, declareClient } from '../../../shared/packaging/build-client.ts'
import { chunkSizes, entrySize } from '../../../shared/packaging/chunk-sizes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

/** Size limit of what a page loads before its first call, without ethers. */
const ENTRY_MAX_BYTES = 60 * 1024

let folder: string
let metafile: Metafile
const packed = () => join(folder, 'packed', 'shared', 'client', 'dist')
/** An empty folder with the package, ethers, and zod, which the declarations reference. */
const app = () => join(folder, 'app')

const npm = async (cwd: string, ...words: string[]) =>
  JSON.parse((await run('npm', ['pack', '--ignore-scripts', '--json', ...words], { cwd })).stdout)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-package-'))
  metafile = await buildClient(packed())
  await declareClient(packed())
  const modules = join(app(), 'node_modules')
  mkdirSync(join(modules, 'svc'), { recursive: true })
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(root, name), join(folder, 'packed', name))
  const [{ filename }] = await npm(join(folder, 'packed'))
  const tarball = join(folder, 'packed', filename)
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(modules, 'svc')])
  for (const name of ['ethers', 'zod'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package svc/client', () => {
  it('loads less than 60 KB initially, gzipped and without ethers', async () => {
    expect(await entrySize(packed(), metafile)).toBeLessThan(ENTRY_MAX_BYTES)
  })

  it('loads verifier, HPKE and zod lazily, in chunks that the entry does not import', async () => {
    const sizes = await chunkSizes(packed(), metafile)
    expect(sizes[0]).toMatchObject({ name: expect.stringMatching(/^verifier-/), isEntry: false })
    const ofEntry = sizes.filter(({ isEntry }) => isEntry).map(({ name }) => name)
    const loaded = Object.entries(metafile.outputs)
      .filter(([path]) => ofEntry.some((name) => path.endsWith(name)))
      .flatMap(([, { inputs }]) => Object.keys(inputs))
    expect(
      loaded.filter((path) => /node_modules\/(?!@noble\/hashes\/)|attestation\/verify/.test(path)),
    ).toEqual([])
  })

  it('does not load ethers for a verification', () => {
    const needing = Object.values(metafile.outputs)
      .filter(({ imports }) =>
        imports.some(({ path, kind }) => path.startsWith('ethers') && kind === 'import-statement'),
      )
      .flatMap(({ inputs }) => Object.keys(inputs))
    expect(needing.filter((path) => /verification|attestation/.test(path))).toEqual([])
  })

  it('contains only modules, declarations and the files that npm always adds', async () => {
    const [{ files }] = await npm(root, '--dry-run')
    const paths: string[] = files.map(({ path }: { path: string }) => path)
    const others = paths.filter((path) => !/^shared\/client\/dist\/.*(\.js|\.d\.ts)$/.test(path))
    expect(others.toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
      'shared/cli/main.ts',
    ])
  })

  it('can be imported by Node from an empty folder', async () => {
    const program = `
      import { createClient, NotSent } from 'svc/client'
      const client = createClient({ baseUrl: 'https://localhost:1' })
      const failure = await client.listWallets().all().catch((error) => error)
      console.log(client.mode, failure instanceof NotSent, failure.name)`
    writeFileSync(join(app(), 'program.mjs'), program)
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: app() })
    expect(stdout.trim()).toBe('api true NotSent')
  })

  it('loads its verifier in Node from an empty folder', async () => {
    const program = `
      import { createClient } from 'svc/client'
      const fetch = async () => new Response('no', { status: 404 })
      const client = createClient({ baseUrl: 'https://origin.test', fetch })
      console.log((await client.verify().catch((error) => error)).code)`
    writeFileSync(join(app(), 'verifies.mjs'), program)
    const { stdout } = await run(process.execPath, ['verifies.mjs'], { cwd: app() })
    expect(stdout.trim()).toBe('evidence_unavailable')
  })

  it('has declarations that a program type-checks against', async () => {
    const program = readFileSync(join(root, 'test/shared/client/client.test-d.ts'), 'utf8')
    const installed = program.replace('../../../shared/client/index.ts', 'svc/client')
    writeFileSync(join(app(), 'program.mts'), installed)
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,dom']
    options.push('--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', '')
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const args = [tsc, ...options, '--skipLibCheck', 'program.mts']
    const checked = await run(process.execPath, args, { cwd: app() }).catch((error) => error)
    expect(checked.stdout).toBe('')
  })
})
