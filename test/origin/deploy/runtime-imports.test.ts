import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { EXECUTOR_ENTRY, TEMPLATE_BUILDER } from '../../../origin/actions/pool/fork.ts'
import { runtimeFiles } from '../../../origin/deploy/image/runtime-files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const ENTRIES = [
  'origin/main.ts',
  'origin/actions/source-cid/worker.ts',
  EXECUTOR_ENTRY,
  relative(root, TEMPLATE_BUILDER),
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

  it('has every project file that the origin and its executors import', () => {
    expect(files.size).toBeGreaterThan(150)
    expect([...files].filter((file) => !inImage.has(file))).toEqual([])
  })

  it('has every package that they import', () => {
    expect(packages.size).toBeGreaterThan(10)
    expect(
      [...packages].filter((name) => !inImage.has(`node_modules/${name}/package.json`)),
    ).toEqual([])
  })

  it('has the files that are read rather than imported', () => {
    expect(inImage).toContain('origin/actions/ethers/bundle.js')
    expect(inImage).toContain('origin/actions/guest/svc.js')
    expect(inImage).toContain('drizzle/origin/meta/_journal.json')
  })

  it('has no tests, no development tools, and no local stack', () => {
    const names = [...inImage]
    expect(names.filter((file) => /^(test|edge|origin\/stack)\//.test(file))).toEqual([])
    expect(inImage).not.toContain('node_modules/vitest/package.json')
    expect(inImage).not.toContain('node_modules/tar-stream/package.json')
  })
})
