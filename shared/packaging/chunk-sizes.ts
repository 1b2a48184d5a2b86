/** Measures the chunks of a build. Chunks are loaded initially (`isEntry`) or on demand. */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'

export type ChunkSize = { name: string; gzipped: number; isEntry: boolean }

/** Returns the gzipped sizes of all chunks in bytes, largest first. */
export async function chunkSizes(outDir: string, { outputs }: Metafile): Promise<ChunkSize[]> {
  const names = Object.keys(outputs).map((path) => basename(path))
  const atOnce = new Set(initialChunks(outputs))
  const sizes = names.map(async (name) => ({
    name,
    gzipped: gzipSync(await readFile(join(outDir, name))).length,
    isEntry: atOnce.has(name),
  }))
  return (await Promise.all(sizes)).toSorted((one, other) => other.gzipped - one.gzipped)
}

/** Returns the size of the initial load in bytes: the entry and its static imports, each file gzipped separately. */
export async function entrySize(outDir: string, metafile: Metafile): Promise<number> {
  const sizes = await chunkSizes(outDir, metafile)
  return sizes.reduce((sum, { gzipped, isEntry }) => sum + (isEntry ? gzipped : 0), 0)
}

function initialChunks(outputs: Metafile['outputs']): string[] {
  const entry = Object.keys(outputs).find((path) => basename(path) === 'index.js')
  if (entry === undefined) throw new Error('the bundle has no index.js')
  const found = new Set([entry])
  for (const path of found)
    for (const { kind, path: imported, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !external) found.add(imported)
  return [...found].map((path) => basename(path))
}
