import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SANDBOX_BUNDLES } from '../../../origin/actions/bundles.ts'
import { executorFiles, templateBuilderFiles } from '../../../origin/actions/pool/fork.ts'
import { runtimeFiles } from '../../../origin/deploy/image/runtime-files.ts'
import { bundleNode } from '../../../shared/packaging/bundle-node.ts'
import { checksumsPath } from '../../../shared/packaging/rebuild-stale.ts'
import { listedFiles } from '../../../shared/packaging/checksums.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const ENTRIES = [
  'origin/main.ts',
  'origin/preflight/main.ts',
  'origin/actions/source-cid/worker.ts',
]

/**
 * Returns every source file of the project that the entries import, directly or not, and the packages that they import.
 */
function reached(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>(entries)
  const packages = new Set<string>()
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const statement of text.matchAll(/^(?:import|export)\b(?! type)[^'"]*?from '([^']+)'/gm))
      note(file, statement[1]!)
    for (const statement of text.matchAll(/\bimport(?:\(| )'([^']+)'/g)) note(file, statement[1]!)
  }
  function note(from: string, to: string) {
    if (to.startsWith('.')) files.add(relative(root, resolve(root, dirname(from), to)))
    else if (!to.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(to)![0])
  }
  return { files, packages }
}

describe('the image of this checkout', () => {
  const inImage = new Set(runtimeFiles(root))
  const { files, packages } = reached(ENTRIES)

  it('has every project file that the origin imports', () => {
    expect(files.size).toBeGreaterThan(150)
    expect([...files].filter((file) => !inImage.has(file))).toEqual([])
  })

  it('has every package that the origin imports', () => {
    expect(packages.size).toBeGreaterThan(10)
    expect(
      [...packages].filter((name) => !inImage.has(`node_modules/${name}/package.json`)),
    ).toEqual([])
  })

  it('has the files that are read rather than imported', () => {
    expect(inImage).toContain('origin/actions/guest/svc.js')
    expect(inImage).toContain('drizzle/origin/meta/_journal.json')
    for (const name of [
      'tiny-secp256k1/lib/secp256k1',
      '@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module',
    ])
      expect(inImage).toContain(`node_modules/${name}.wasm`)
  })

  it('has the files that sandbox processes read, with bundles that import only builtin modules', () => {
    const paths = [...executorFiles(), ...templateBuilderFiles()].map((path) =>
      relative(root, path),
    )
    const names = [...inImage]
    expect(
      paths.filter((path) => !names.some((name) => name === path || name.startsWith(`${path}/`))),
    ).toEqual([])
    const imported = Object.keys(SANDBOX_BUNDLES).flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return [...text.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, name]) => name!)
    })
    expect(imported).toContain('node:crypto')
    expect(imported.filter((name) => !isBuiltin(name))).toEqual([])
  })

  it('has the same bundles if they are built at another path', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'svc-elsewhere-'))
    const copyFile = (path: string) => cpSync(join(root, path), join(copy, path))
    try {
      for (const [bundle, entry] of Object.entries(SANDBOX_BUNDLES)) {
        for (const input of listedFiles(checksumsPath(join(root, bundle)))) {
          copyFile(input)
          const [folder] = /^node_modules\/(@[^/]+\/)?[^/]+/.exec(input) ?? []
          if (folder) copyFile(`${folder}/package.json`)
        }
        const { text } = await bundleNode(copy, entry, join(copy, bundle))
        expect(text).toBe(readFileSync(join(root, bundle), 'utf8'))
      }
    } finally {
      rmSync(copy, { recursive: true })
    }
  })

  it('has no tests, no development tools, and no local stack', () => {
    const names = [...inImage]
    expect(names.filter((file) => /^(test|edge|origin\/stack)\//.test(file))).toEqual([])
    expect(inImage).not.toContain('node_modules/vitest/package.json')
    expect(inImage).not.toContain('node_modules/tar-stream/package.json')
  })
})
