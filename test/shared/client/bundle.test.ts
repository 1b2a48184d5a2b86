import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildClient } from '../../../shared/packaging/build-client.ts'
import { chunkSizes, entrySize } from '../../../shared/packaging/chunk-sizes.ts'

/** Size limit of what a page loads before its first call, without ethers. */
const ENTRY_MAX_BYTES = 60 * 1024

let folder: string
let metafile: Metafile

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-package-'))
  metafile = await buildClient(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the client library’s bundle', () => {
  it('loads less than 60 KB initially, gzipped and without ethers', async () => {
    expect(await entrySize(folder, metafile)).toBeLessThan(ENTRY_MAX_BYTES)
  })

  it('loads verifier, HPKE and zod lazily, in chunks that the entry does not import', async () => {
    const sizes = await chunkSizes(folder, metafile)
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
})
